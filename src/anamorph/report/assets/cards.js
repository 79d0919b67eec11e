"use strict";

// Texts of systems, files and labels reach the page only through text nodes and attributes, never as markup.
window.anamorphCards = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const KNOWN_DEEDS = ["removed", "inserted", "moved", "covered"];

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // Free text stands alone in its direction, so that it cannot turn what is around it.
  const free = (text) => element("bdi", {}, text);

  // What is empty is left out of the data.
  const EMPTY_PROBE = {
    image: null, size: null, outlines: [], missing: null, edits: [], exactly: [], scene: null, question: null, answer: null,
    evidence: [], absent: [], crossed: [], differs: null, attempt: null, others: [], other_count: 0,
  };
  const EMPTY_ISSUE = {
    grade: null, state: null, suspicions: [], wrong_anyway: null, cause: null, violated: [], categories: [], tags: [], things: [],
    question: null, shrunk: null, explained: null, marks: [],
  };

  function filledAnswer(answer) {
    return answer && !answer.labels && answer.more === undefined ? { parts: [], length: null, ...answer } : answer && { labels: [], ...answer };
  }

  function filledProbe(probe) {
    return { ...EMPTY_PROBE, ...probe, answer: filledAnswer(probe.answer ?? null) };
  }

  const filledSuspicion = (suspicion) => ({
    why: "", question: null, proof: [], ...suspicion,
    ...(suspicion.proof ? { proof: suspicion.proof.map((line) => ({ ...EMPTY_PROBE, answers: [], ...line })) } : {}),
  });

  function filled(issue) {
    const { probes, cause, shrunk, explained } = issue;
    return {
      ...EMPTY_ISSUE,
      ...issue,
      cause: cause ? { edits: [], ...cause } : null,
      probes: probes.map(filledProbe),
      suspicions: (issue.suspicions ?? []).map(filledSuspicion),
      shrunk: shrunk ? { ...shrunk, probes: shrunk.probes.map(filledProbe) } : null,
      explained: explained ? { ...EMPTY_PROBE, ...explained } : null,
    };
  }

  function card(issue, link, open = false) {
    const id = `reason-${issue.digest}`;
    return element(
      "article",
      { class: "issue", "data-digest": issue.digest, "aria-labelledby": id, tabindex: "-1" },
      element(
        "header",
        { class: "issue-head" },
        element("p", { class: "kinds" }, ...kinds(issue)),
        element(
          "a",
          { class: "permalink", href: link, title: "The address of this issue" },
          element("span", { class: "unseen" }, "Address of issue "),
          issue.digest.slice(0, 12),
        ),
      ),
      element("h3", { class: "reason", id, dir: "auto" }, issue.reason),
      issue.question === null ? null : question(issue.question),
      ...pictures(issue),
      ...suspicions(issue),
      explained(issue.explained),
      issue.marks.length ? marks(issue.marks) : null,
      element(
        "details",
        { class: "about", open },
        element("summary", {}, "Scene, tags and how to replay it"),
        facts(issue),
        replay(issue.replay),
      ),
    );
  }

  // Of several follow-ups, those that differ are shown, and the others are a click away.
  function shownProbes(probes) {
    const alike = probes.filter((shown) => shown.differs === false);
    const row = (some) => element("div", { class: `probes probes-${Math.min(some.length, 4)}` }, ...some.map(probe));
    if (!alike.length) return [row(probes)];
    const words = `${alike.length} more ${alike.length === 1 ? "follow-up, which agrees" : "follow-ups, which agree"} with the source`;
    return [
      row(probes.filter((shown) => shown.differs !== false)),
      element("details", { class: "alike" }, element("summary", {}, words), row(alike)),
    ];
  }

  // The smallest edit that still breaks the relation comes first; what was planned is a click away.
  function pictures(issue) {
    const planned = shownProbes(issue.probes);
    if (issue.shrunk === null) return planned;
    const sure = issue.shrunk.finished ? "the smallest edit" : "the smallest edit so far";
    return [
      element(
        "p",
        { class: "shrunk" },
        element("span", { class: "label" }, "Shrunk"),
        `to ${sure} that still breaks the relation: `,
        free(issue.shrunk.reason),
      ),
      ...shownProbes(issue.shrunk.probes),
      element("details", { class: "planned" }, element("summary", {}, "The case as it was planned"), ...planned),
    ];
  }

  // The suspicion that made the case what it is comes first, and what became of the others is a click away.
  function suspicions(issue) {
    const [first, ...others] = issue.suspicions;
    if (!first) return [];
    const words = `${others.length} more ${others.length === 1 ? "suspicion" : "suspicions"} about these answers`;
    return [
      proof(first),
      others.length ? element("details", { class: "more-suspicions" }, element("summary", {}, words), ...others.map(proof)) : null,
    ];
  }

  const TITLES = { proved: "Proof", lead: "Not counted", refuted: "Refuted", "unfair edit": "Unfair edit", undecided: "Undecided" };

  function proof(suspicion) {
    const { state, why, question, proof: lines } = suspicion;
    return element(
      "section",
      { class: `proof proof-${state.replaceAll(" ", "-")}` },
      element("p", { class: "proof-why" }, element("span", { class: "proof-state" }, TITLES[state] ?? state), free(suspicion.words), why ? ". " : "", free(why)),
      question === null ? null : element("p", { class: "question" }, element("span", { class: "label" }, "Asked"), free(question)),
      lines.length ? element("div", { class: "proof-lines" }, ...lines.map(proofLine)) : null,
    );
  }

  function proofLine(line) {
    const times = line.times === 2 ? "asked twice" : line.times > 2 ? `asked ${line.times} times` : null;
    return element(
      "figure",
      { class: "proof-line" },
      picture(line),
      element(
        "figcaption",
        {},
        element("p", { class: "proof-said" }, element("strong", {}, free(line.said)), element("span", { class: "edit" }, free(line.part))),
        line.question === null ? null : element("p", { class: "aside" }, free(line.question)),
        times || line.witness ? element("p", { class: "aside" }, [line.witness ? "by the witness" : null, times].filter(Boolean).join(", ")) : null,
        ...line.answers.map((text) => element("p", { class: "aside", dir: "auto" }, "\u201c", free(text), "\u201d")),
      ),
    );
  }

  function explained(found) {
    if (found === null) return null;
    const words = element("figcaption", {}, element("span", { class: "label" }, "Explained"), free(found.words));
    return element("figure", { class: "explained" }, found.image === null ? null : picture(found), words);
  }

  function heading(cause, link) {
    const issues = `${cause.issues.toLocaleString("en")} ${cause.issues === 1 ? "issue" : "issues"}`;
    return element(
      "p",
      { class: "cause" },
      element("a", { href: link, class: "cause-words" }, free(cause.words)),
      element("span", { class: "edit" }, "in ", free(cause.scene)),
      ...cause.edits.map((edit) => element("span", { class: "edit" }, free(edit))),
      element("span", { class: "count" }, issues),
    );
  }

  function kinds(issue) {
    const names = [
      ...(issue.grade === null ? [] : [["grade", issue.grade]]),
      ...(issue.state === null ? [] : [["state", issue.state]]),
      ["method", issue.method],
      ["relation", issue.relation],
      ...issue.violated.map((name) => ["part", name]),
      ...issue.categories.filter((name) => name !== issue.relation).map((name) => ["category", name]),
    ];
    return names.map(([kind, name]) => {
      const meaning = document.getElementById(`term-${name.replaceAll(" ", "-")}`)?.dataset.meaning;
      return element("span", { class: `kind kind-${kind}`, title: meaning ? `${kind}: ${meaning}` : kind }, free(name));
    });
  }

  function question(text) {
    return element("p", { class: "question" }, element("span", { class: "label" }, "Question"), free(text));
  }

  function probe(shown) {
    return element(
      "figure",
      { class: shown.differs ? "probe differs" : "probe" },
      picture(shown),
      element(
        "figcaption",
        {},
        element(
          "p",
          { class: "probe-title" },
          element("strong", {}, shown.title),
          shown.differs ? element("span", { class: "differs-word" }, "differs") : null,
          ...shown.edits.map((edit, n) => element("span", { class: "edit", title: shown.exactly[n] }, free(edit))),
          shown.scene === null ? null : element("span", { class: "edit" }, "scene ", free(shown.scene)),
        ),
        shown.question === null ? null : question(shown.question),
        ...answer(shown),
        shown.absent.length ? absent(shown.absent) : null,
        shown.crossed.length ? crossed(shown.crossed) : null,
        shown.evidence.length ? chips(shown.evidence) : null,
        others(shown),
      ),
    );
  }

  function picture(shown) {
    if (shown.image === null) return element("div", { class: "frame no-picture" }, free(shown.missing));
    const source = window.anamorphChunks.picture(shown.image);
    const image = element("img", { src: source, alt: shown.alt, loading: "lazy", decoding: "async" });
    image.addEventListener("error", () => {
      const words = shown.image.startsWith("../") || "single" in document.body.dataset
        ? "This picture was left out to keep the report small; the run's folder has it."
        : "The picture cannot be shown.";
      image.closest(".frame").replaceWith(element("div", { class: "frame no-picture" }, words));
    });
    const content = shown.outlines.length ? [image, outlines(shown)] : [image];
    // A browser opens no picture that is part of a page, so there is nothing to link to.
    if (source.startsWith("data:")) return element("div", { class: "frame" }, ...content);
    return element("a", { class: "frame", href: shown.image, target: "_blank", rel: "noopener" }, ...content);
  }

  // Boxes over a picture; like the picture, they are scaled to fit and stand in the middle.
  function outlines(shown) {
    const [width, height] = shown.size;
    const drawing = document.createElementNS(SVG, "svg");
    drawing.setAttribute("class", "outlines");
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("aria-hidden", "true");
    for (const [x, y, wide, high, does] of shown.outlines) {
      for (const kind of ["outline-back", `outline-${KNOWN_DEEDS.includes(does) ? does : "changed"}`]) {
        const box = document.createElementNS(SVG, "rect");
        box.setAttribute("class", `outline ${kind}`);
        const sides = { x: x * width, y: y * height, width: wide * width, height: high * height };
        for (const [name, value] of Object.entries(sides)) box.setAttribute(name, value.toFixed(1));
        drawing.append(box);
      }
    }
    return drawing;
  }

  function answer(shown) {
    const given = shown.answer;
    if (given === null) return [element("p", { class: "answer none" }, "No answer.")];
    if (given.labels) return [labels(given)];
    const parts = given.parts.map(([text, marked]) => (marked ? element("mark", {}, text) : text));
    const quote = element("blockquote", { class: "answer", dir: "auto" }, ...(parts.length ? parts : ["(empty)"]));
    if (given.length === null) return [quote];
    const length = given.length.toLocaleString("en");
    return [quote, element("p", { class: "aside" }, `Cut for display: all ${length} characters are in report.json.`)];
  }

  function labels(given) {
    const below = given.below ?? [];
    if (!given.labels.length && !below.length) return element("p", { class: "answer none" }, "No labels.");
    const items = given.labels.map(([label, score, marked]) =>
      element("li", {}, marked ? element("mark", {}, free(label)) : free(label), element("span", { class: "score" }, score)),
    );
    for (const [label, score] of below) {
      items.push(element("li", { class: "below", title: "below the threshold: not named" }, free(label), element("span", { class: "score" }, score)));
    }
    if (given.more) items.push(element("li", { class: "aside" }, `and ${given.more} more in report.json`));
    return element("ul", { class: "answer labels" }, ...items);
  }

  // Labels that crossed the threshold, with both scores and the difference.
  function crossed(lines) {
    const items = lines.map(([label, before, after, by]) => element("li", {}, free(label), ` ${before} \u2192 ${after}${by && ` (${by})`}`));
    return element("div", { class: "crossed" }, element("span", { class: "label" }, "Crossed the threshold"), element("ul", {}, ...items));
  }

  function absent(labels) {
    const items = labels.map((label) => element("li", {}, element("s", {}, free(label))));
    return element("div", { class: "absent" }, element("span", { class: "label" }, "Not named"), element("ul", {}, ...items));
  }

  function chips(texts) {
    const items = texts.map((text) => element("li", {}, element("mark", {}, free(text))));
    return element("div", { class: "evidence" }, element("span", { class: "label" }, "Evidence"), element("ul", {}, ...items));
  }

  function others(shown) {
    if (!shown.other_count) return null;
    const more = `${shown.other_count} more ${shown.other_count === 1 ? "attempt" : "attempts"}`;
    if (!shown.others.length) return element("p", { class: "others" }, `The same answer in ${more}.`);
    return element(
      "details",
      { class: "others" },
      element("summary", {}, `Attempt ${shown.attempt + 1} is shown; other answers in ${more}`),
      element("ul", {}, ...shown.others.map((text) => element("li", { dir: "auto" }, text))),
    );
  }

  // What people said: whether the report is right.
  function marks(given) {
    const items = given.map(([reviewer, verdict, more]) =>
      element("li", {}, free(reviewer), `: the report is ${verdict}`, more ? ", " : null, more ? free(more) : null),
    );
    return element("div", { class: "marks" }, element("span", { class: "label" }, "People say"), element("ul", {}, ...items));
  }

  function facts(issue) {
    const rows = [["scene", free(issue.scene)]];
    if (issue.things.length) {
      const names = issue.things.flatMap(([label, count], position) => [
        position ? ", " : "",
        free(label),
        count > 1 ? ` \u00d7 ${count}` : "",
      ]);
      rows.push(["objects", element("span", {}, ...names)]);
    }
    if (issue.wrong_anyway !== null) {
      rows.push(["the untouched photo", issue.wrong_anyway ? "was described wrongly already" : "was described rightly"]);
    }
    for (const [name, value] of issue.tags) rows.push([free(name), free(value)]);
    return element(
      "dl",
      { class: "issue-facts" },
      ...rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    );
  }

  function replay(command) {
    const code = element("code", { tabindex: "0" }, command);
    const button = element("button", { type: "button", class: "copy", "aria-label": "Copy the replay command" }, "Copy");
    button.addEventListener("click", () => copy(command, code, button));
    return element("div", { class: "replay" }, element("span", { class: "label" }, "Replay"), code, button);
  }

  async function copy(text, code, button) {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Some browsers allow no clipboard to a page from disk; the selected command is a key press away.
      getSelection().selectAllChildren(code);
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  }

  return { card, element, filled, heading };
})();
