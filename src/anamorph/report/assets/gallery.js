"use strict";

// The address after # is the state: #issue=DIGEST shows one issue, anything else filters and a page.
(() => {
  const section = document.getElementById("issues");
  const total = Number(section.dataset.issues);
  if (!total) return;

  const PAGE = 50;
  const PAUSE_MILLISECONDS = 150;
  const rowChunks = Number(section.dataset.rowChunks);
  const cardsPerChunk = Number(section.dataset.cardsPerChunk);
  const { card, element, heading } = window.anamorphCards;
  const filters = window.anamorphFilters;
  const chunks = window.anamorphChunks;
  const find = (id) => document.getElementById(id);
  const [form, line, count, clear, status, cards, pager] = [
    "filters", "results-line", "result-count", "clear", "gallery-status", "cards", "pager",
  ].map(find);

  const entries = [];
  let complete = false;
  let drawing = 0;
  let pause = null;
  let listAddress = "#all";
  let single = null;
  // These lead to a section of the page and say nothing of the gallery.
  const ANCHORS = ["#summary", "#causes", "#issues", "#files"];

  function state() {
    const given = new URLSearchParams(location.hash.slice(1));
    const chosen = Object.fromEntries(filters.keys.map((key) => [key, given.get(key) ?? ""]));
    return { issue: given.get("issue"), page: Math.max(1, Number.parseInt(given.get("page"), 10) || 1), chosen };
  }

  function address(chosen, page) {
    const state = new URLSearchParams();
    for (const key of filters.keys) if (chosen[key]) state.set(key, chosen[key]);
    if (page > 1) state.set("page", page);
    return `#${state.toString() || "all"}`;
  }

  const link = (digest) => `#issue=${digest.slice(0, 12)}`;

  async function cardsAt(positions) {
    const needed = [...new Set(positions.map((position) => Math.floor(position / cardsPerChunk)))];
    const loaded = new Map(await Promise.all(needed.map(async (n) => [n, await chunks.get(`issues-${n}`)])));
    return positions.map((position) => {
      const issue = loaded.get(Math.floor(position / cardsPerChunk))[position % cardsPerChunk];
      return [issue.cause, card(issue, link(issue.digest))];
    });
  }

  // Issues come ordered by cause: a line before the first of each says what they have in common.
  function grouped(made) {
    let last = null;
    return made.flatMap(([cause, shown]) => {
      const before = cause !== null && cause.digest !== last ? [heading(cause, `#cause=${cause.digest}`)] : [];
      last = cause?.digest ?? null;
      return [...before, shown];
    });
  }

  // Draw what the address says; a drawing that a newer one overtook comes to nothing.
  async function draw() {
    const mine = ++drawing;
    const now = state();
    try {
      if (now.issue === null) await drawList(now, () => mine === drawing);
      else await drawOne(now.issue.toLowerCase(), () => mine === drawing);
    } catch (problem) {
      if (mine === drawing) tell(problem.message);
    }
  }

  function tell(text) {
    status.textContent = text;
    status.hidden = !text;
  }

  async function drawList(now, current) {
    const found = filters.passing(entries, now.chosen);
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const page = Math.min(now.page, pages);
    const shown = found.slice((page - 1) * PAGE, page * PAGE);
    const made = await cardsAt(shown);
    if (!current()) return;
    listAddress = address(now.chosen, page);
    single = null;
    form.hidden = line.hidden = !complete;
    clear.hidden = !filters.keys.some((key) => now.chosen[key]);
    const first = ((page - 1) * PAGE + 1).toLocaleString("en");
    const last = Math.min(page * PAGE, found.length).toLocaleString("en");
    const of = found.length === total ? total.toLocaleString("en") : `${found.length.toLocaleString("en")} matching, ${total.toLocaleString("en")} in all`;
    count.textContent = found.length ? `${first}\u2013${last} of ${of}` : `No issue matches; ${total.toLocaleString("en")} in all`;
    cards.replaceChildren(...grouped(made));
    drawPager(now.chosen, page, pages);
    tell(complete ? "" : `Reading the issues: ${entries.length.toLocaleString("en")} of ${total.toLocaleString("en")} \u2026`);
  }

  async function drawOne(prefix, current) {
    const positions = [];
    entries.forEach((each, position) => {
      if (prefix && each.digest.startsWith(prefix)) positions.push(position);
    });
    if (!positions.length && !complete) return tell("Looking for the issue \u2026");
    const made = await cardsAt(positions.slice(0, PAGE));
    if (!current()) return undefined;
    form.hidden = line.hidden = pager.hidden = true;
    const back = element("a", { href: listAddress, class: "back" }, "\u2190 All issues");
    cards.replaceChildren(element("p", { class: "one-line" }, back), ...made.map(([, shown]) => shown));
    tell(made.length ? "" : `No issue of this report has a digest that begins with \u201c${prefix}\u201d.`);
    single = made[0]?.[1].dataset.digest ?? null;
    goTo(made[0]?.[1] ?? section, section);
    return undefined;
  }

  function drawPager(chosen, page, pages) {
    pager.hidden = pages < 2;
    const step = (text, to) =>
      to >= 1 && to <= pages
        ? element("a", { href: address(chosen, to), class: "step" }, text)
        : element("span", { class: "step off", "aria-hidden": "true" }, text);
    const select = element("select", { id: "page" });
    for (let n = 1; n <= pages; n += 1) select.append(element("option", { value: n, selected: n === page }, `${n}`));
    select.addEventListener("change", () => (location.hash = address(chosen, Number(select.value))));
    const where = element("label", { class: "where" }, "Page ", select, ` of ${pages.toLocaleString("en")}`);
    pager.replaceChildren(step("Previous", page - 1), where, step("Next", page + 1));
  }

  function goTo(focused, seen) {
    focused.focus({ preventScroll: true });
    seen.scrollIntoView();
  }

  function fillForm() {
    const { chosen } = state();
    for (const field of form.elements) field.value = chosen[field.name] ?? "";
  }

  function choose(chosen) {
    // Leaving a field reports a change that was drawn already: drawing again would take the focus from where it went,
    // or the reader away from the one issue that was opened meanwhile.
    const now = state();
    if (now.issue !== null || filters.keys.every((key) => now.chosen[key] === (chosen[key] ?? ""))) return;
    // Typing must not fill the browser's history, so the address is replaced.
    history.replaceState(null, "", address(chosen, 1));
    draw();
  }

  // Not every way to choose from a list fires an input event, but all fire a change event.
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, () => {
      clearTimeout(pause);
      pause = setTimeout(() => choose(Object.fromEntries(new FormData(form))), PAUSE_MILLISECONDS);
    });
  }

  form.addEventListener("submit", (event) => event.preventDefault());

  clear.addEventListener("click", () => {
    form.reset();
    choose({});
    form.elements.q.focus();
  });

  window.addEventListener("hashchange", async () => {
    if (ANCHORS.includes(location.hash)) return;
    const before = single;
    fillForm();
    await draw();
    if (state().issue !== null) return;
    const left = before && cards.querySelector(`[data-digest="${before}"]`);
    if (left) goTo(left, left);
    else goTo(section, section);
  });

  (async () => {
    try {
      for (let n = 0; n < rowChunks; n += 1) {
        for (const row of await chunks.load(`index-${n}`)) entries.push(filters.entry(row));
        complete = n === rowChunks - 1;
        if (complete) {
          filters.build(form, entries);
          fillForm();
        }
        if (complete || n === 0 || (state().issue !== null && single === null)) await draw();
      }
    } catch (problem) {
      tell(problem.message);
    }
  })();
})();
