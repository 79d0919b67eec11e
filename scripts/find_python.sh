#!/usr/bin/env bash
# find_python.sh 3.13: where that Python is on this machine: in the folder PYTHONS, on the path, or with pyenv.
for candidate in "${PYTHONS:-/nowhere}/python$1" "$(command -v "python$1" 2>/dev/null)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
  # A shim of pyenv is there for every version and works only for some.
  if [ -x "$candidate" ] && "$candidate" -c 'import sys' 2>/dev/null; then echo "$candidate"; exit 0; fi
done
exit 1
