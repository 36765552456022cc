# Every target makes .venv from the lock file first; nothing is installed by hand.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
  BIN := $(VENV)/Scripts
else
  BIN := $(VENV)/bin
endif
READY := $(VENV)/.ready
TEST_JOBS ?= auto
# What pytest is given beside its settings; empty = all tests.
TESTS ?=

.PHONY: bake check verify test test-extras on-oldest check-oldest night install-test coverage mutation bench lint lock clean

bake: $(READY)
	$(BIN)/bake build

check: $(READY)
	$(BIN)/bake check

verify: $(READY)
	$(BIN)/bake build
	$(BIN)/bake verify baked

# Interpreters and workers that tests start find modules compiled, wherever these may be written.
test: export PYTHONDONTWRITEBYTECODE =
test: $(READY)
	$(BIN)/python -m tests.support.kernels
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist worksteal $(TESTS)

# A part of `make test`: the extras alone.
test-extras: export PYTHONDONTWRITEBYTECODE =
test-extras: $(READY)
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist worksteal tests/extras

# A part of the tests for another Python, in an environment of its own: `make on-oldest PYTHON=python3.11`.
on-oldest:
	$(MAKE) VENV=build/oldest PYTHON=$(PYTHON) lint check-oldest install-test

check-oldest: export PYTHONDONTWRITEBYTECODE =
check-oldest: $(READY)
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist worksteal tests/cli tests/store/flat tests/reader \
	  tests/readers tests/show tests/verify

# Takes hours: many examples of each property, long sequences of changes, coverage and mutants.
night: export HYPOTHESIS_PROFILE := night
night: export BAKE_LINE_STRIDE := 9
night: export BAKE_FORGERIES := 500
night: export BAKE_VALUES := 50
night: export BAKE_READER_PAIRS := 25000
night: export BAKE_COLD_BUILDS := 200
night: test
	$(BIN)/python -m benchmarks updates_stress
	$(BIN)/python -m benchmarks.coverage_uncompiled
	$(BIN)/python -m benchmarks.mutation

# Installs the package into empty environments, which downloads half a gigabyte.
install-test: $(READY)
	BAKE_TEST_INSTALL=1 $(BIN)/python -m pytest -s tests/install

# Kernels as plain Python, so a good quarter of an hour; below 95 % is a failure.
coverage: $(READY)
	$(BIN)/python -m benchmarks.coverage_uncompiled

mutation: $(READY)
	$(BIN)/python -m benchmarks.mutation

bench: $(READY)
	$(BIN)/python -m benchmarks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Only to move the pins; needs uv on the PATH.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-emit-package levelbake-reader --no-header --upgrade --group dev \
	  pyproject.toml -o requirements.lock

$(READY): requirements.lock pyproject.toml readers/python/pyproject.toml
	$(PYTHON) -c "import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f'bake needs Python 3.11 or newer, found {v[0]}.{v[1]}; set PYTHON=python3.12 (say)')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e readers/python -e .
	$(PYTHON) -c "open('$(READY)', 'w').close()"

clean:
	$(PYTHON) -c "import pathlib, shutil; [shutil.rmtree(p) if p.is_dir() else p.unlink() for g in ('*.h5', '.*.tmp', '.*.checkpoint', '*.png') for p in pathlib.Path('baked').glob(g)]"
