"use strict";

// A page from disk may not fetch files, so data comes as scripts that assign to this one global. A report in a single
// file has its data and pictures in blocks of the page itself.
window.ANAMORPH = Object.create(null);

window.anamorphChunks = (() => {
  // The least recently used are forgotten, so that a long look around stays small.
  const MOST_KEPT = 50;
  const kept = new Map();

  function block(id) {
    return document.getElementById(id)?.textContent ?? null;
  }

  function load(name) {
    const own = block(`chunk-${name}`);
    if (own !== null) return Promise.resolve(JSON.parse(own));
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = () => {
        const chunk = window.ANAMORPH[name];
        delete window.ANAMORPH[name];
        script.remove();
        if (Array.isArray(chunk)) resolve(chunk);
        else reject(new Error(`data/${name}.js is damaged.`));
      };
      script.onerror = () => {
        script.remove();
        reject(new Error(`data/${name}.js cannot be loaded. Is the folder of the report complete?`));
      };
      document.head.append(script);
    });
  }

  // The promise of a chunk of this kind.
  function get(kind, n) {
    const name = `${kind}-${n}`;
    if (!kept.has(kind)) kept.set(kind, new Map());
    const own = kept.get(kind);
    const known = own.get(name) ?? load(name);
    own.delete(name);
    own.set(name, known);
    known.catch(() => own.delete(name));
    if (own.size > MOST_KEPT) own.delete(own.keys().next().value);
    return known;
  }

  // What an image shows: a file of the report, or a block of the page.
  function picture(address) {
    const own = block(`picture-${address}`);
    return own === null ? address : `data:image/jpeg;base64,${own}`;
  }

  return { get, load, picture };
})();
