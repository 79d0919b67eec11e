"use strict";

// Keys, answers and ways to other items. Any page of a session works like this:
// - an element with data-key is clicked by that key, if it can be seen; several keys are separated by spaces
// - a button with data-field and a value, or a text field with data-field, is a part of the answer, and is kept at once;
//   with data-toggle, the pressed button can be pressed again to take it back; with data-several, several may be pressed
// - a button with data-same says the same of all items that belong together
// - what has data-moves-on="field=value|field=value,other" leads on to the next item to do once one of these alternatives
//   is said, each of its fields with that value or with any; not on an item that was done already
// - what has data-when="field=value" is there only while the answer says so
// Texts come into the page only through text nodes, never as markup.
(() => {
  const { root, number } = document.body.dataset;
  const problem = document.getElementById("problem");
  const all = (selector) => [...document.querySelectorAll(selector)];
  const kept = document.getElementById("state");
  const before = kept === null ? { fields: {}, complete: true } : JSON.parse(kept.textContent);
  const alternatives = document.querySelector("[data-moves-on]")?.dataset.movesOn.split("|") ?? [];
  let moving = localStorage.getItem("moves-on") !== "off";
  let confirmed = before.fields;
  let fields = { ...confirmed };
  let waiting = 0;
  let queue = Promise.resolve();
  let failed = false;

  function render() {
    for (const group of all("[data-when]")) {
      const [field, value] = group.dataset.when.split("=");
      group.hidden = (fields[field] ?? "") !== value;
      // The server also forgets these.
      if (group.hidden) for (const inner of group.querySelectorAll("[data-field]")) delete fields[inner.dataset.field];
    }
    for (const button of all("button[data-field]")) {
      const said = fields[button.dataset.field] ?? "";
      const pressed = button.dataset.several === undefined ? said === button.value : said.split(",").includes(button.value);
      button.setAttribute("aria-pressed", String(pressed));
    }
    for (const text of all("textarea[data-field]")) {
      if (text !== document.activeElement) text.value = fields[text.dataset.field] ?? "";
    }
  }

  function complain(text) {
    problem.textContent = text;
    problem.hidden = false;
  }

  async function post(address, content) {
    let reply;
    try {
      reply = await fetch(root + address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(content),
        keepalive: true,
      });
    } catch {
      throw new Error("The answer was not kept: the session has ended. Start the command again.");
    }
    const said = await reply.json().catch(() => ({ problem: `The server replied with ${reply.status}.` }));
    if (!reply.ok) throw new Error(said.problem);
    return said;
  }

  // One request at a time, in the order of the keys.
  function enqueue(act) {
    waiting += 1;
    queue = queue.then(async () => {
      try {
        await act();
        failed = false;
        problem.hidden = true;
      } catch (error) {
        failed = true;
        fields = { ...confirmed };
        render();
        complain(error.message);
      } finally {
        waiting -= 1;
      }
    });
    return queue;
  }

  function change(changes) {
    fields = { ...fields, ...changes };
    render();
    enqueue(async () => {
      const state = await post(`items/${number}${location.search}`, changes);
      confirmed = state.fields;
      document.querySelector("a[data-key~=Enter]").href = state.to_do;
      if (waiting === 1) {
        fields = { ...confirmed };
        render();
        if (moving && !before.complete && isSaid()) location.assign(state.to_do);
      }
      document.querySelector("progress").value = state.done;
      const words = `${state.done.toLocaleString("en")} of ${state.total.toLocaleString("en")} done`;
      document.getElementById("progress").textContent = words;
    });
  }

  // Whether all that is asked of this item is said.
  function isSaid() {
    return alternatives.some((parts) =>
      parts.split(",").every((part) => {
        const [field, value] = part.split("=");
        return value === undefined ? (fields[field] ?? "") !== "" : fields[field] === value;
      }),
    );
  }

  // An item is left only once its answer is on disk.
  async function go(address) {
    document.activeElement?.blur?.();
    await queue;
    if (!failed) location.assign(address);
  }

  function undo() {
    enqueue(async () => {
      const state = await post("undo", {});
      location.assign(`${root}items/${state.number}`);
    });
  }

  const legend = document.getElementById("legend");
  const actions = { undo, legend: () => legend.showModal() };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button !== null) {
      if (button.dataset.do in actions) actions[button.dataset.do]();
      const { field } = button.dataset;
      if (button.dataset.same !== undefined) {
        change({ same_cause: "yes" });
        queue.then(() => failed || button.remove());
      } else if (field !== undefined && button.dataset.several !== undefined) {
        const said = (fields[field] ?? "").split(",").filter(Boolean);
        const others = said.filter((each) => each !== button.value);
        change({ [field]: (others.length < said.length ? others : [...said, button.value]).join(",") });
      } else if (field !== undefined) {
        const pressed = fields[field] === button.value;
        if (!pressed) change({ [field]: button.value });
        else if (button.dataset.toggle !== undefined) change({ [field]: "" });
      }
      // After a click with the mouse, the space bar belongs to the page again.
      if (event.detail > 0) button.blur();
      return;
    }
    const link = event.target.closest("a[data-key]");
    if (link !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      go(link.href);
    }
  });

  for (const text of all("textarea[data-field]")) {
    text.addEventListener("change", () => {
      if (text.value !== (fields[text.dataset.field] ?? "")) change({ [text.dataset.field]: text.value });
    });
  }

  const keysOn = document.getElementById("keys-on");
  if (keysOn !== null) {
    keysOn.checked = localStorage.getItem("keys") !== "off";
    keysOn.addEventListener("change", () => localStorage.setItem("keys", keysOn.checked ? "on" : "off"));
  }
  const movesOn = document.getElementById("moves-on");
  if (movesOn !== null) {
    movesOn.checked = moving;
    movesOn.addEventListener("change", () => {
      moving = movesOn.checked;
      localStorage.setItem("moves-on", moving ? "on" : "off");
    });
  }

  const canBeSeen = (element) => element.getClientRects().length > 0 && !element.disabled;

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.isComposing || event.altKey || legend?.open) return;
    if (target.matches("input, textarea, select")) {
      if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || (keysOn !== null && !keysOn.checked)) return;
    const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const activates = key === "Enter" || key === "Space";
    if (activates && target.matches("button, a, summary") && target.matches(":focus-visible")) return;
    const found = all("[data-key]").find((each) => each.dataset.key.split(" ").includes(key) && canBeSeen(each));
    if (found === undefined) return;
    event.preventDefault();
    if (event.repeat && !("repeat" in found.dataset)) return;
    if (found.matches("textarea")) found.focus();
    else if (found.matches("summary")) {
      found.parentElement.open = true;
      found.parentElement.querySelector("select")?.focus();
    } else found.click();
  });

  render();
  // Read out after the page is there, since it is a new page for every item.
  document.getElementById("where")?.focus({ preventScroll: true });
})();
