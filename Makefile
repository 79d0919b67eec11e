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

# Workers and the processes that tests start would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# Versions to install: none by default, those of constraints.txt in CI.
CONSTRAINTS ?=
PIP_CONSTRAINT_OPTION := $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))

.PHONY: demo test heavy plugs check docs fuzz bench bench-report soak constraints clean

demo: $(VENV)/.demo
	$(BIN)/anamorph demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup

heavy: $(HEAVY)/.heavy
	OMP_NUM_THREADS=1 ANAMORPH_TORCHVISION=$(CURDIR)/$(HEAVY)/torchvision-apart $(HEAVY)/bin/python -m pytest -m heavy -n 2 --dist loadfile

plugs: $(PLUGS)/.plugs $(LITELLM)/.litellm
	$(PLUGS)/bin/python -m pytest -m plug -n 2 --dist loadfile
	$(LITELLM)/bin/python -m pytest -m plug -n 0 tests/systems/test_litellm.py

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
	rm -rf $(VENV) $(HEAVY) $(PLUGS) $(LITELLM) build demo-run .mypy_cache .ruff_cache .pytest_cache .hypothesis

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
