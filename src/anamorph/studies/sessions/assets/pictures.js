"use strict";

// Pictures that belong together: side by side, or in the same place one after the other, zoomed and moved as one.
// A stage holds figures with a data-position, the source's being 0.
(() => {
  const stage = document.querySelector(".stage");
  if (stage === null) return;
  const shots = [...stage.querySelectorAll("[data-position]")];
  const thumbs = [...document.querySelectorAll("[data-show]")];
  const canvases = [...stage.querySelectorAll(".canvas")];
  const narrow = matchMedia("(max-width: 48rem)");
  let single = sessionStorage.getItem("view") === "single" || (sessionStorage.getItem("view") === null && narrow.matches && stage.dataset.together === undefined);
  let outlined = sessionStorage.getItem("outlines") !== "off";
  let followUp = Number(stage.dataset.first ?? 1);
  let showsSource = false;
  let zoom = 1;
  let [x, y] = [0, 0];

  function render() {
    stage.classList.toggle("single", single);
    stage.classList.toggle("outlined", outlined);
    for (const shot of shots) {
      const position = Number(shot.dataset.position);
      const chosen = position === followUp;
      shot.hidden = position !== 0 && !chosen;
      // What was said about both can be read, whichever is shown.
      shot.classList.toggle("away", single && (showsSource ? position !== 0 : !chosen));
    }
    // What is outlined in the source depends on the follow-up that it is compared with.
    for (const outlines of stage.querySelectorAll("[data-of]")) {
      outlines.classList.toggle("other", Number(outlines.dataset.of) !== followUp);
    }
    for (const thumb of thumbs) {
      const position = Number(thumb.dataset.show);
      const now = single ? position === (showsSource ? 0 : followUp) : position === followUp;
      if (now) thumb.setAttribute("aria-current", "true");
      else thumb.removeAttribute("aria-current");
    }
    press("side", !single);
    press("outline", outlined);
    for (const canvas of canvases) canvas.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
    stage.classList.toggle("zoomed", zoom > 1);
  }

  function press(name, pressed) {
    document.querySelector(`[data-view="${name}"]`)?.setAttribute("aria-pressed", String(pressed));
  }

  function zoomTo(next) {
    const before = zoom;
    zoom = Math.min(8, Math.max(1, next));
    [x, y] = zoom === 1 ? [0, 0] : [(x * zoom) / before, (y * zoom) / before];
  }

  function step(by) {
    const last = shots.length - 1;
    if (last < 1) return;
    followUp = ((followUp - 1 + by + last) % last) + 1;
    showsSource = false;
  }

  const views = {
    flicker() {
      if (single) showsSource = !showsSource;
      else [single, showsSource] = [true, true];
      if (shots.length < 2) showsSource = true;
    },
    side() {
      single = !single;
      sessionStorage.setItem("view", single ? "single" : "pair");
    },
    outline() {
      outlined = !outlined;
      sessionStorage.setItem("outlines", outlined ? "on" : "off");
    },
    in: () => zoomTo(zoom * 1.5),
    out: () => zoomTo(zoom / 1.5),
    whole: () => zoomTo(1),
    next: () => step(1),
    previous: () => step(-1),
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.view in views) views[button.dataset.view]();
    else if (button?.dataset.show !== undefined) {
      const position = Number(button.dataset.show);
      showsSource = position === 0;
      if (position > 0) followUp = position;
      else single = true;
    } else return;
    render();
  });

  stage.addEventListener("dblclick", (event) => {
    if (event.target.closest(".frame") === null) return;
    zoomTo(zoom > 1 ? 1 : 2.5);
    render();
  });

  stage.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey || event.target.closest(".frame") === null) return;
      event.preventDefault();
      zoomTo(zoom * Math.exp(-event.deltaY / 300));
      render();
    },
    { passive: false },
  );

  // While a picture is zoomed, the arrows move it; else they lead to other items.
  const arrows = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  document.addEventListener("keydown", (event) => {
    const inText = event.target.matches("input, textarea, select") || document.querySelector("dialog[open]") !== null;
    if (zoom === 1 || inText || !(event.key in arrows) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const [across, down] = arrows[event.key];
    [x, y] = [x + 60 * across, y + 60 * down];
    render();
  });

  let from = null;
  stage.addEventListener("pointerdown", (event) => {
    if (zoom === 1 || event.target.closest(".frame") === null) return;
    event.preventDefault();
    from = [event.clientX - x, event.clientY - y];
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (from === null) return;
    [x, y] = [event.clientX - from[0], event.clientY - from[1]];
    render();
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => (from = null));

  for (const image of stage.querySelectorAll("img")) {
    image.addEventListener("error", () => {
      const words = document.createElement("p");
      words.className = "no-picture";
      words.textContent = "The picture cannot be shown.";
      image.replaceWith(words);
    });
  }

  render();
})();
