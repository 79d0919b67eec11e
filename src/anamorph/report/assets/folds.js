"use strict";

// A link to something that is folded away unfolds it.
(() => {
  function unfold() {
    const id = location.hash.slice(1);
    if (!id || id.includes("=")) return;
    const found = document.getElementById(id);
    if (!found) return;
    let moved = false;
    for (let at = found; at; at = at.parentElement?.closest("details")) {
      if (at.tagName === "DETAILS" && !at.open) moved = at.open = true;
    }
    if (moved) found.scrollIntoView();
  }

  window.addEventListener("hashchange", unfold);
  unfold();
})();
