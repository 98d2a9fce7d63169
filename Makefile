# Two targets for a new user: `make demo` and `make test`. They do all the set-up on a
# machine with python3 (3.11 to 3.14), its venv module and make.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHON ?= python3
N ?= 2000
SEED ?= 1

# Without bytecode scikit-learn takes seconds to import.
unexport PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED
# One thread per process: two BLAS threads made small inverses many times slower.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export NUMBA_NUM_THREADS := 1
export UV_PYTHON_DOWNLOADS := never

.PHONY: help demo test test-bare test-slow fuzz test-older-cpu fresh check listing format bench bench-full calibrate choice-proof papers docs wheel lock clean

help: ## list all targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## run every algorithm on six kinds of data; print the verdict, write the report
	@$(BIN)/causalassay run examples/studies/four-schemes.toml --out demo

test: $(READY) ## run all tests except the slow ones
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --durations=10

test-bare: $(READY) ## run the tests near optional programs as if none were installed
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --hide-programs tests

test-slow: $(READY) ## run the slow tests
	$(BIN)/python -m pytest -m slow

fuzz: $(READY) ## read N mutated study files, tables, graphs and networks: make fuzz N=2000 SEED=1
	FUZZ_MUTANTS=$(N) FUZZ_SEED=$(SEED) $(BIN)/python -m pytest -m "not slow" tests/fuzzing

test-older-cpu: $(READY) ## run the tests of `make test` with the arithmetic of a CPU without AVX
	OPENBLAS_CORETYPE=Nehalem NUMBA_CPU_NAME=nehalem NUMBA_CPU_FEATURES= $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

fresh: ## `make demo` and `make test` in bare systems of Debian 12, 13 and testing, made by debootstrap: root, an hour
	bash .ci/fresh

check: $(READY) ## check format, lint, types and import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

listing: $(READY) ## write the list of built-in names from what they declare
	$(BIN)/python -m causalassay.catalogue

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## compare our speed with other packages: at most ten minutes once they are installed
	$(BIN)/python -m bench quick --out docs

bench-full: $(READY) ## run all benchmarks with all packages, growth and start-up
	$(BIN)/python -m bench full --out docs
	$(BIN)/python -m bench growth --out docs
	$(BIN)/python -m bench startup --out docs

calibrate: $(READY) ## measure how often the judge is wrong: at most 3 hours, resumable, writes docs/calibration.md
	$(BIN)/python -m calibration

choice-proof: $(READY) ## choose algorithms on systems of known truth, and count wrong claims: about 30 minutes, resumable, writes parts of docs/your-data.md
	$(BIN)/python -m calibration.choice

papers: $(READY) ## reproduce the five papers at full size: hours, resumable, writes docs/papers and the table in docs/reproduce.md
	$(BIN)/causalassay reproduce all --size full
	$(BIN)/python docs/paper_pages.py reproduced

docs: $(READY) ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

wheel: $(READY) ## write dist/causalassay-….whl, which pip installs anywhere
	$(BIN)/python -m hatchling build -t wheel

lock: $(READY) ## pin the newest versions, with hashes and without hosts
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate pyproject.toml --group dev -o requirements.txt

clean: ## remove the environment and files left by tools
	rm -rf demo site $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
