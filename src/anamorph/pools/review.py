"""A page that shows the cut-outs of a pool, so that a person can strike out the bad ones."""

from __future__ import annotations

import html
import json

from anamorph.pools.folder import Pool, PoolEntry

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file: data:; style-src
 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem; color: #222; background: #fff }}
ul {{ list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .6rem }}
button {{ width: 11rem; border: 2px solid #ccc; border-radius: 6px; background: #eee; padding: .4rem; cursor: pointer }}
button img {{ width: 100%; height: 9rem; object-fit: contain; background: #bbb }}
button[aria-pressed=true] {{ border-color: #b00; background: #fdd }}
button[aria-pressed=true] img {{ opacity: .35 }}
small {{ display: block; overflow-wrap: anywhere; color: #555 }}
pre {{ position: sticky; top: 0; background: #222; color: #fff; padding: .7rem; white-space: pre-wrap; margin: 0 }}
</style>
<h1>{title}</h1>
<p>Click what must not be inserted: half an object, a wrong class, a mask that is off. Then run this command.</p>
<pre id="command">Nothing has changed.</pre>
<ul>
{items}
</ul>
<script>
const pool = {pool};
const buttons = [...document.querySelectorAll("button")];
function show() {{
  const changed = buttons.filter(b => b.getAttribute("aria-pressed") !== b.dataset.was);
  const flags = changed.map(b => (b.dataset.was === "true" ? " --restore " : " --strike ") + b.dataset.id);
  document.getElementById("command").textContent =
    flags.length ? "anamorph list pool review " + pool + flags.join("") : "Nothing has changed.";
}}
for (const b of buttons) b.addEventListener("click", () => {{
  b.setAttribute("aria-pressed", b.getAttribute("aria-pressed") !== "true");
  show();
}});
</script>
</html>
"""


def review_page(pool: Pool) -> str:
    """The page as HTML, to be kept in the pool's own folder, whose pictures it shows."""
    entries = sorted((*pool.entries, *pool.struck), key=lambda entry: (entry.label, entry.id))
    quoted = "'" + str(pool.folder).replace("'", "'\\''") + "'"
    # A script ends at "</", whatever it is part of.
    folder = json.dumps(quoted).replace("</", "<\\/")
    title = html.escape(f"Cut-outs of {pool.folder.name}: {len(pool.entries)} in use, {len(pool.struck)} struck out")
    return _PAGE.format(title=title, items="\n".join(map(_item, entries)), pool=folder)


def _item(entry: PoolEntry) -> str:
    struck = "true" if entry.struck else "false"
    score = "" if entry.score is None else f", seen {entry.score:.2f}"
    return (
        f'<li><button type="button" aria-pressed="{struck}" data-was="{struck}" data-id="{html.escape(entry.id)}">'
        f'<img src="{html.escape(entry.file)}" alt="" loading="lazy"><b>{html.escape(entry.label)}</b>'
        f"<small>{entry.width} x {entry.height}{score}</small><small>{html.escape(entry.scene)}</small></button></li>"
    )
