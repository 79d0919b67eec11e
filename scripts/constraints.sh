#!/usr/bin/env bash
# Writes constraints.txt: the versions that the tests ran with last, of everything that `make test` and `make check` install.
# CI installs these, so that what it tests today is what it tested yesterday.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check '.[test,check,bench]'
{
  echo "# Made by scripts/constraints.sh (make constraints)."
  "$folder/venv/bin/python" -m pip freeze --exclude anamorph | grep -v -E '@|^-e' | LC_ALL=C sort -f
} > constraints.txt
