"use strict";

// The address after # is the state: #issue=DIGEST shows one issue, #lead=DIGEST one lead, #leads=all&... filters and a
// page of the leads, and anything else with a = those of the issues.
window.anamorphGallery = (one, section) => {
  const many = `${one}s`;
  const ofLeads = one === "lead";
  const prefix = ofLeads ? "lead-" : "";
  const total = Number(section.dataset.issues);
  if (!total) return null;

  const PAGE = 20;
  const MORE = 20;
  const PAUSE_MILLISECONDS = 150;
  const rowChunks = Number(section.dataset.rowChunks);
  const rowsPerChunk = Number(section.dataset.rowsPerChunk);
  const cardsPerChunk = Number(section.dataset.cardsPerChunk);
  const { card, element, filled, heading } = window.anamorphCards;
  const filters = window.anamorphFilters;
  const chunks = window.anamorphChunks;
  const find = (id) => document.getElementById(id);
  const [form, line, count, clear, status, cards, pager] = [
    "filters", "results-line", "result-count", "clear", "gallery-status", "cards", "pager",
  ].map((id) => find(prefix + id));

  const issues = filters.index(total);
  let complete = false;
  let drawing = 0;
  let pause = null;
  let listAddress = ofLeads ? "#leads=all" : "#all";
  let single = null;
  let searched = { query: "", matches: null };
  const shownNumber = (number) => number.toLocaleString("en");

  // Without a = it leads to a section of the page and says nothing of a gallery.
  function isOwn() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.has("lead") || given.has("leads")) return ofLeads && location.hash.includes("=");
    return !ofLeads && (location.hash.length < 2 || location.hash === "#all" || location.hash.includes("="));
  }

  function state() {
    const given = new URLSearchParams(isOwn() ? location.hash.slice(1) : "");
    const chosen = Object.fromEntries(filters.keys.map((key) => [key, given.get(key) ?? ""]));
    return { issue: given.get(one), page: Math.max(1, Number.parseInt(given.get("page"), 10) || 1), chosen };
  }

  function address(chosen, page) {
    const state = new URLSearchParams(ofLeads ? "leads=all" : "");
    for (const key of filters.keys) if (chosen[key]) state.set(key, chosen[key]);
    if (page > 1) state.set("page", page);
    return `#${state.toString() || "all"}`;
  }

  const link = (digest) => `#${one}=${digest.slice(0, 12)}`;

  async function issuesAt(positions) {
    const needed = [...new Set(positions.map((position) => Math.floor(position / cardsPerChunk)))];
    const loaded = new Map(await Promise.all(needed.map(async (n) => [n, await chunks.get(many, n)])));
    const at = (position) => loaded.get(Math.floor(position / cardsPerChunk))[position % cardsPerChunk];
    return positions.map((position) => filled(at(position)));
  }

  // Issues that hold all words of a query: their texts are read on the first search, not before.
  async function matching(query, current) {
    const words = filters.words(query);
    if (!words.length) return null;
    if (searched.query === query) return searched.matches;
    const matches = new Uint8Array(total);
    for (let n = 0; n < rowChunks; n += 1) {
      const texts = await chunks.get(`${prefix}texts`, n);
      if (!current()) return null;
      texts.forEach((text, place) => {
        if (words.every((word) => text.includes(word))) matches[n * rowsPerChunk + place] = 1;
      });
    }
    searched = { query, matches };
    return matches;
  }

  // Issues come ordered by cause: those of one cause are one group, which shows its clearest example.
  function grouped(found) {
    const groups = [];
    let last = null;
    found.forEach((position, place) => {
      const cause = issues.causeOf(position);
      if (cause !== last) groups.push(place);
      last = cause;
    });
    return groups;
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
    const matches = await matching(now.chosen.q, current);
    if (!current()) return;
    const found = issues.passing(now.chosen, matches);
    const groups = grouped(found);
    const pages = Math.max(1, Math.ceil(groups.length / PAGE));
    const page = Math.min(now.page, pages);
    const shown = groups.slice((page - 1) * PAGE, page * PAGE);
    const loaded = await issuesAt(shown.map((place) => found[place]));
    if (!current()) return;
    listAddress = address(now.chosen, page);
    single = null;
    form.hidden = line.hidden = !complete;
    clear.hidden = !filters.keys.some((key) => now.chosen[key]);
    const first = shownNumber((page - 1) * PAGE + 1);
    const last = shownNumber(Math.min(page * PAGE, groups.length));
    const of = found.length === total ? shownNumber(total) : `${shownNumber(found.length)} matching, ${shownNumber(total)} in all`;
    const all = groups.length === found.length ? of : `${shownNumber(groups.length)} ${groups.length === 1 ? "group" : "groups"}; ${many}: ${of}`;
    count.textContent = found.length ? `${first}\u2013${last} of ${all}` : `No ${one} matches; ${shownNumber(total)} in all`;
    cards.replaceChildren(
      ...shown.map((place, n) => {
        const end = groups[(page - 1) * PAGE + n + 1] ?? found.length;
        return group(loaded[n], found.slice(place + 1, end));
      }),
    );
    drawPager(now.chosen, page, pages);
    tell(complete ? "" : `Reading the ${many}: ${shownNumber(issues.size)} of ${shownNumber(total)} \u2026`);
  }

  function group(issue, others) {
    return element(
      "section",
      { class: "group" },
      issue.cause === null ? null : heading(issue.cause, `#cause=${issue.cause.digest}`),
      card(issue, link(issue.digest)),
      others.length ? more(others) : null,
    );
  }

  function more(others) {
    const words = `and ${shownNumber(others.length)} more like this`;
    const body = element("div", { class: "more-cards" });
    const fold = element("details", { class: "more" }, element("summary", {}, words), body);
    let next = 0;
    const button = element("button", { type: "button" }, "Show more");
    async function show() {
      const some = others.slice(next, next + MORE);
      next += some.length;
      try {
        const loaded = await issuesAt(some);
        button.remove();
        body.append(...loaded.map((issue) => card(issue, link(issue.digest))));
        if (next < others.length) body.append(button);
      } catch (problem) {
        tell(problem.message);
      }
    }
    button.addEventListener("click", show);
    fold.addEventListener("toggle", () => {
      if (fold.open && next === 0) show();
    });
    return fold;
  }

  async function drawOne(prefix, current) {
    const positions = issues.withDigest(prefix, PAGE);
    if (!positions.length && !complete) return tell(`Looking for the ${one} \u2026`);
    const loaded = await issuesAt(positions);
    if (!current()) return undefined;
    const made = loaded.map((issue) => card(issue, link(issue.digest), true));
    form.hidden = line.hidden = pager.hidden = true;
    const back = element("a", { href: listAddress, class: "back" }, `\u2190 All ${many}`);
    cards.replaceChildren(element("p", { class: "one-line" }, back), ...made);
    tell(made.length ? "" : `No ${one} of this report has a digest that begins with \u201c${prefix}\u201d.`);
    single = made[0]?.dataset.digest ?? null;
    goTo(made[0] ?? section, section);
    return undefined;
  }

  function drawPager(chosen, page, pages) {
    pager.hidden = pages < 2;
    const step = (text, to) =>
      to >= 1 && to <= pages
        ? element("a", { href: address(chosen, to), class: "step" }, text)
        : element("span", { class: "step off", "aria-hidden": "true" }, text);
    // A field, because a list of a thousand pages is slow to make and to use.
    const field = element("input", { id: `${prefix}page`, type: "number", min: 1, max: pages, value: page, "aria-label": "Page" });
    field.addEventListener("change", () => {
      const wanted = Math.min(pages, Math.max(1, Number.parseInt(field.value, 10) || page));
      location.hash = address(chosen, wanted);
    });
    const where = element("label", { class: "where" }, "Page ", field, ` of ${shownNumber(pages)}`);
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
    for (const field of form.elements) if (field.type === "hidden") field.value = "";
    choose({});
    form.elements.q.focus();
  });

  window.addEventListener("hashchange", async () => {
    if (!isOwn() || !begun) return;
    const before = single;
    fillForm();
    await draw();
    if (state().issue !== null) return;
    const left = before && cards.querySelector(`[data-digest="${before}"]`);
    if (left) goTo(left, left);
    else goTo(section, section);
  });

  let begun = false;

  async function begin() {
    if (begun) return;
    begun = true;
    try {
      for (let n = 0; n < rowChunks; n += 1) {
        issues.add(await chunks.load(`${prefix}index-${n}`));
        complete = n === rowChunks - 1;
        if (complete) {
          filters.build(form, issues);
          fillForm();
        }
        if (complete || n === 0 || (state().issue !== null && single === null)) await draw();
      }
    } catch (problem) {
      tell(problem.message);
    }
  }

  return { begin, isOwn };
};

window.anamorphGallery("issue", document.getElementById("issues"))?.begin();

// Leads are read when they are unfolded, or when a link to one is followed.
(() => {
  const fold = document.getElementById("leads");
  const gallery = fold && window.anamorphGallery("lead", document.getElementById("lead-gallery"));
  if (!gallery) return;
  fold.addEventListener("toggle", () => {
    if (fold.open) gallery.begin();
  });
  const follow = () => {
    if (gallery.isOwn()) fold.open = true;
  };
  window.addEventListener("hashchange", follow);
  follow();
  if (fold.open) gallery.begin();
})();
