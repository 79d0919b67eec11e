"use strict";

// What can be filtered, and which issues pass. A report may have 100,000 issues, so values are numbers in typed arrays.
window.anamorphFilters = (() => {
  const { element } = window.anamorphCards;
  const MOST_OPTIONS = 500;
  const DIGITS = 32;

  // In the order of the index. A hidden facet has no field: links lead to it.
  const GRADES = ["contradiction", "invention", "miscount", "omission"];
  const FACETS = [
    { key: "state", label: "State" },
    { key: "grade", label: "Grade", order: GRADES },
    { key: "pattern", label: "Error" },
    { key: "why", label: "Why it is not counted" },
    { key: "cause", hidden: true },
    { key: "method", label: "Method" },
    { key: "relation", label: "Relation" },
    { key: "category", label: "Category" },
    { key: "tag", label: "Tag", grouped: true },
    { key: "object", label: "Object in the scene" },
    { key: "change", label: "Change that broke it" },
    { key: "mark", label: "Marked by people" },
  ];
  const CAUSE = FACETS.findIndex((facet) => facet.key === "cause");

  function index(total) {
    const columns = FACETS.map(() => ({
      names: [], ids: new Map(), starts: new Int32Array(total + 1), cells: new Int32Array(total), used: 0,
    }));
    const digests = [];
    let count = 0;

    function idOf(column, name) {
      let id = column.ids.get(name);
      if (id === undefined) {
        id = column.names.push(name) - 1;
        column.ids.set(name, id);
      }
      return id;
    }

    function push(column, id) {
      if (column.used === column.cells.length) {
        const larger = new Int32Array(2 * column.cells.length + 16);
        larger.set(column.cells);
        column.cells = larger;
      }
      column.cells[column.used++] = id;
    }

    function add([hex, names, rows]) {
      digests.push({ first: count, hex });
      const ids = names.map((some, f) => some.map((name) => idOf(columns[f], name)));
      for (const row of rows) {
        row.forEach((places, f) => {
          for (const place of places) push(columns[f], ids[f][place]);
          columns[f].starts[count + 1] = columns[f].used;
        });
        count += 1;
      }
    }

    function has(column, position, id) {
      for (let at = column.starts[position]; at < column.starts[position + 1]; at += 1) {
        if (column.cells[at] === id) return true;
      }
      return false;
    }

    // The positions of the issues that have all chosen values, of those that `matches` has, if it is given.
    function passing(chosen, matches) {
      const wanted = columns
        .map((column, f) => [column, chosen[FACETS[f].key] ? column.ids.get(chosen[FACETS[f].key]) ?? -1 : null])
        .filter(([, id]) => id !== null);
      const found = [];
      for (let position = 0; position < count; position += 1) {
        if (matches && !matches[position]) continue;
        if (wanted.every(([column, id]) => has(column, position, id))) found.push(position);
      }
      return found;
    }

    // The cause that an issue stands under.
    function causeOf(position) {
      const column = columns[CAUSE];
      return column.starts[position] < column.starts[position + 1] ? column.cells[column.starts[position]] : -1 - position;
    }

    function withDigest(prefix, most) {
      const found = [];
      if (!prefix) return found;
      for (const { first, hex } of digests) {
        for (let at = 0; at < hex.length && found.length < most; at += DIGITS) {
          if (hex.startsWith(prefix, at) && prefix.length <= DIGITS) found.push(first + at / DIGITS);
        }
      }
      return found;
    }

    function counts(f) {
      const column = columns[f];
      const numbers = new Int32Array(column.names.length);
      for (let at = 0; at < column.used; at += 1) numbers[column.cells[at]] += 1;
      const order = FACETS[f].order ?? [];
      const place = (value) => (order.includes(value) ? order.indexOf(value) : order.length);
      return column.names
        .map((name, id) => [name, numbers[id]])
        .sort((a, b) => place(a[0]) - place(b[0]) || b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    }

    return { add, causeOf, counts, passing, withDigest, get size() { return count; } };
  }

  const words = (query) => query.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);

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
  function build(form, issues) {
    const search = element("input", { type: "search", name: "q", placeholder: "answers, questions, scenes, labels", autocomplete: "off" });
    form.replaceChildren(element("label", { class: "field field-search" }, element("span", {}, "Search"), search));
    FACETS.forEach((facet, f) => {
      if (facet.hidden) {
        form.append(element("input", { type: "hidden", name: facet.key }));
        return;
      }
      const values = issues.counts(f);
      if (!values.length || (values.length === 1 && values[0][1] === issues.size)) return;
      const select = element("select", { name: facet.key }, ...options(facet, values));
      form.append(element("label", { class: "field" }, element("span", {}, facet.label), select));
    });
  }

  const keys = ["q", ...FACETS.map((facet) => facet.key)];
  return { build, index, keys, words };
})();
