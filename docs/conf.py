"""The documentation site: `make docs` builds it from this folder into build/site, offline."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

import anamorph

sys.path.insert(0, str(Path(__file__).parent))

from site_pages.notebooks import NotebookParser
from site_pages.reference import MADE, made

project = "Anamorph"
author = "The Anamorph authors"
copyright = author
version = release = anamorph.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["site_pages"]
source_suffix = {".md": "markdown", ".ipynb": "notebook"}
root_doc = "index"

myst_enable_extensions = ["colon_fence"]
# Links to headings are those that people write for files on a forge, and the build checks them.
myst_heading_anchors = 4

html_theme = "furo"
html_title = "Anamorph"
html_show_copyright = False
html_copy_source = False
html_static_path = ["site_pages/static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}

# Code without a language is a terminal's.
highlight_language = "none"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
default_role = "code"

# Pages of the project that are not in this folder; docs/project has a page that includes each.
_OUTSIDE = re.compile(r"(?<=\]\()(?:\.\./)+(ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md")


def _complete(app: Sphinx, page: str, text: list[str]) -> None:
    """Put in what is made from the code, the pages of a folder below its README, and links to the project's pages."""
    source = MADE.sub(lambda marker: made(marker[1]), text[0])
    source = _OUTSIDE.sub(lambda link: f"/project/{link[1].lower()}.md", source)
    if posixpath.basename(page) == "README":
        source += "\n\n:::{toctree}\n:hidden:\n:glob:\n\n*\n:::\n"
    text[0] = source


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_config_value("execute_notebooks", True, "env", (bool,))
    app.add_source_parser(NotebookParser)
    app.connect("source-read", _complete)
