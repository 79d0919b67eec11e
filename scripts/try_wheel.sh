#!/usr/bin/env bash
# Builds the wheel and the sdist, and tries each in an empty environment of every Python from 3.11 on that is here.
# One line for each: the version, the file, and ok or what went wrong. Without any such Python but this one, that is said.
set -uo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work/build" && "$work/build/bin/pip" install --quiet --disable-pip-version-check hatchling || exit 1
"$work/build/bin/python" -m hatchling build -d "$work/dist" >/dev/null 2>&1 || { echo "the build failed"; exit 1; }
failed=0
for version in ${VERSIONS:-3.11 3.12 3.13 3.14}; do
  found=""
  for candidate in "$(command -v "python$version" 2>/dev/null)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
    # A shim of pyenv is there for every version and works only for some.
    if [ -x "$candidate" ] && "$candidate" -c 'import sys' 2>/dev/null; then found=$candidate; break; fi
  done
  if [ -z "$found" ]; then echo "$version: not on this machine"; continue; fi
  for file in "$work"/dist/${FILES:-*}; do
    rm -rf "$work/venv"
    "$found" -m venv "$work/venv" &&
      "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$file" >"$work/log" 2>&1 &&
      (cd "$work" && rm -rf demo-run && ./venv/bin/anamorph demo >"$work/log" 2>&1; [ $? -le 1 ] && [ -f "$work/demo-run/report/index.html" ])
    if [ $? -eq 0 ]; then echo "$version, $(basename "$file"): ok"; else echo "$version, $(basename "$file"): failed"; tail -5 "$work/log"; failed=1; fi
  done
done
exit $failed
