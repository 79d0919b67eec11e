"use strict";

// What can be filtered, and which issues pass.
window.anamorphFilters = (() => {
  const { element } = window.anamorphCards;
  const MOST_OPTIONS = 500;

  // Each row of the index: digest, method, relation, categories, tags, labels, text, grade, confirmation, patterns,
  // causes. A hidden facet has no field: links lead to it.
  const GRADES = ["contradiction", "invention", "miscount", "omission"];
  const FACETS = [
    { key: "grade", label: "Grade", values: (row) => [row[7]], order: GRADES },
    { key: "pattern", label: "The system", values: (row) => row[9] },
    { key: "confirmation", label: "Confirmation", values: (row) => (row[8] ? [row[8]] : []) },
    { key: "cause", values: (row) => row[10], hidden: true },
    { key: "method", label: "Method", values: (row) => [row[1]] },
    { key: "relation", label: "Relation", values: (row) => [row[2]] },
    { key: "category", label: "Category", values: (row) => row[3] },
    { key: "tag", label: "Tag", values: (row) => row[4].map(([name, value]) => `${name}=${value}`), grouped: true },
    { key: "object", label: "Object in the scene", values: (row) => row[5] },
  ];

  function entry(row) {
    return {
      digest: row[0],
      sets: FACETS.map((facet) => new Set(facet.values(row))),
      text: [row[1], row[2], ...row[3], ...row[4].flat(), ...row[5], row[6], row[7], row[8], ...row[9]].join("\n").toLowerCase(),
    };
  }

  const words = (query) => query.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);

  // The positions of the entries that pass; `chosen` has a value, or an empty text, for each facet and for "q".
  function passing(entries, chosen) {
    const wanted = FACETS.map((facet) => chosen[facet.key]);
    const searched = words(chosen.q);
    const found = [];
    entries.forEach((each, position) => {
      const fits = wanted.every((value, i) => !value || each.sets[i].has(value));
      if (fits && searched.every((word) => each.text.includes(word))) found.push(position);
    });
    return found;
  }

  function counts(entries, facet) {
    const found = new Map();
    for (const each of entries) for (const value of each.sets[facet]) found.set(value, (found.get(value) ?? 0) + 1);
    const order = FACETS[facet].order ?? [];
    const place = (value) => (order.includes(value) ? order.indexOf(value) : order.length);
    return [...found].sort((a, b) => place(a[0]) - place(b[0]) || b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  function options(facet, values) {
    const shown = values.slice(0, MOST_OPTIONS);
    const option = ([value, count], text) => element("option", { value }, `${text} (${count.toLocaleString("en")})`);
    const made = [element("option", { value: "" }, "All")];
    if (facet.grouped) {
      const groups = new Map();
      for (const pair of shown) {
        const cut = pair[0].indexOf("=");
        const name = pair[0].slice(0, cut);
        if (!groups.has(name)) groups.set(name, element("optgroup", { label: name }));
        groups.get(name).append(option(pair, pair[0].slice(cut + 1) || "(empty)"));
      }
      made.push(...groups.values());
    } else {
      made.push(...shown.map((pair) => option(pair, pair[0])));
    }
    if (values.length > shown.length) {
      const more = (values.length - shown.length).toLocaleString("en");
      made.push(element("option", { disabled: true }, `and ${more} rarer ones: search for them`));
    }
    return made;
  }

  // Fill the form; a facet that all issues share is left out.
  function build(form, entries) {
    const search = element("input", { type: "search", name: "q", placeholder: "answers, questions, scenes, labels", autocomplete: "off" });
    form.replaceChildren(element("label", { class: "field field-search" }, element("span", {}, "Search"), search));
    FACETS.forEach((facet, i) => {
      if (facet.hidden) {
        form.append(element("input", { type: "hidden", name: facet.key }));
        return;
      }
      const values = counts(entries, i);
      if (!values.length || (values.length === 1 && values[0][1] === entries.length)) return;
      const select = element("select", { name: facet.key }, ...options(facet, values));
      form.append(element("label", { class: "field" }, element("span", {}, facet.label), select));
    });
  }

  const keys = ["q", ...FACETS.map((facet) => facet.key)];
  return { build, entry, keys, passing };
})();
