"use strict";

// A page from disk may not fetch files, so data comes as scripts that assign to this one global.
window.ANAMORPH = Object.create(null);

window.anamorphChunks = (() => {
  const MOST_KEPT = 60;
  const kept = new Map();

  function load(name) {
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

  // The promise of a chunk; the least recently used are forgotten, so that a long look around stays small.
  function get(name) {
    const known = kept.get(name) ?? load(name);
    kept.delete(name);
    kept.set(name, known);
    known.catch(() => kept.delete(name));
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
    return known;
  }

  return { get, load };
})();
