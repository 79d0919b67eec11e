#!/usr/bin/env bash
# Builds the wheel and the sdist, and tries each in an empty environment of every Python from 3.11 on that is here: `anamorph demo`
# must leave its three reports. One line for each: the version, the file, and ok or what went wrong.
# PYTHONS is a folder to look for interpreters in first, VERSIONS the versions, FILES the files (*.whl).
set -uo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work/build" && "$work/build/bin/pip" install --quiet --disable-pip-version-check hatchling || exit 1
"$work/build/bin/python" -m hatchling build -d "$work/dist" >/dev/null 2>&1 || { echo "the build failed"; exit 1; }
failed=0
for version in ${VERSIONS:-3.11 3.12 3.13 3.14}; do
  found=$(scripts/find_python.sh "$version") || { echo "$version: not on this machine"; continue; }
  for file in "$work"/dist/${FILES:-*}; do
    [ -f "$file" ] || continue
    rm -rf "$work/venv" "$work/demo-run"
    reports=0
    if "$found" -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$file" >"$work/log" 2>&1; then
      # Not with the sources of this folder, which PYTHONPATH may name.
      (cd "$work" && env -u PYTHONPATH ./venv/bin/anamorph demo --scenes "${SCENES:-12}" >"$work/log" 2>&1)
      reports=$(find "$work/demo-run" -path '*/report/index.html' 2>/dev/null | wc -l)
    fi
    if [ "$reports" -eq 3 ]; then echo "$version, $(basename "$file"): ok"; else echo "$version, $(basename "$file"): failed"; tail -5 "$work/log"; failed=1; fi
  done
done
exit $failed
