# The environment is made once, in .venv: the product alone for `make demo`, the rest for whatever tests or builds.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The suite starts hundreds of processes and looks into each assertion: what was compiled once is kept.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
PRODUCT := .venv/.product
STAMP := .venv/.complete
# What proves stores is a distribution of its own, which the tests use.
KIT := packages/remanence-store-kit
LIFEBENCH := packages/lifebench
UV := $(shell command -v uv 2>/dev/null)
# The first Python on the path that is 3.11 to 3.14 and really starts.
OK := import sys, venv, ensurepip; raise SystemExit(not (3, 11) <= sys.version_info[:2] < (3, 15))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(OK)' 2>/dev/null && { echo $$p; break; }; done)

# Two workers: the suite's processes and threads leave no more than that idle on a small machine.
PARALLEL := --numprocesses=2
# In the versions of constraints.txt, which `make pins` renews. Modules are compiled when they are first imported, as most
# of what is installed never is.
PIP := install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt
INSTALL := $(if $(UV),uv pip install --quiet --python $(BIN)/python --constraint constraints.txt,$(BIN)/python -m pip $(PIP))
# The pip that Python brings, run from where it lies to install the pinned one: installing it first takes 4 s.
BUNDLED := import ensurepip, pathlib, runpy, sys; \
	sys.path.insert(0, str(next(pathlib.Path(ensurepip.__file__).parent.glob('_bundled/pip-*.whl')))); \
	runpy.run_module('pip', run_name='__main__', alter_sys=True)

.PHONY: help .venv test quick format lint types suite wheel site release proof pages demo deep test-frameworks coverage shuffled lowest pins neo4j-server fmt clean

help:
	@echo "make demo   remanence demo: a sample memory in build/demo, and what can be done with it"
	@echo "make test   format check, lint, types, the whole suite, the wheel in an empty environment"
	@echo "make quick  format check, lint, types, unit and contract tests, in under a minute"
	@echo "make site   the documentation as a site, in build/site"
	@echo "make release  wheels, source distributions, sums and a bill of materials, in build/release"
	@echo "make proof  measures again what docs/proof.md says, and compares case by case"
	@echo "make pages  write every generated file anew: reference pages, types of remanence.sync, SQL of a new file"
	@echo "make deep   long campaigns of the same laws, in under an hour"
	@echo "make test-frameworks  the tests that others wrote for stores like our adapters, unchanged, against ours"
	@echo "make coverage  which branches of the modules that decide no test takes"
	@echo "make shuffled  the suite in random order; name a seed to repeat one: make shuffled SEED=7"
	@echo "make lowest the suite with the oldest versions that pyproject.toml allows"
	@echo "make neo4j-server  fetch a real Neo4j for tests, with Java 17 and Maven: without it they are skipped"
	@echo "make pins   renew constraints.txt with the newest versions that pyproject.toml allows"
	@echo "make fmt    format and mend what ruff can mend"
	@echo "make clean  remove the environment and everything built"

.venv: $(STAMP)

$(PRODUCT): pyproject.toml src/remanence/_version.py constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.14 found: install one, or name it: make PYTHON=/path/to/python3"; exit 1; }
ifneq ($(UV),)
	test -x $(BIN)/python || uv venv --quiet --python "$(PYTHON)" .venv
else
	test -x $(BIN)/python || "$(PYTHON)" -m venv --without-pip .venv
	test -x $(BIN)/pip || $(BIN)/python -c "$(BUNDLED)" $(PIP) pip 2>/dev/null || $(BIN)/python -m ensurepip >/dev/null
	@# Dependency groups need pip 25.1, constraints of what builds need 25.3; the pin is newer.
	$(INSTALL) pip
endif
	$(INSTALL) --build-constraint constraints.txt --editable .
	@touch $@

$(STAMP): $(PRODUCT) $(KIT)/pyproject.toml $(LIFEBENCH)/pyproject.toml
	$(INSTALL) --build-constraint constraints.txt --group dev --editable $(KIT) --editable $(LIFEBENCH)
	@# Hundreds of processes import these, some in environments that keep nothing compiled; a file of theirs may be no Python.
	-$(BIN)/python -m compileall -qq -j 0 .venv src $(KIT)/src
	@touch $@

test: format lint types suite wheel site

quick: format lint types
	$(BIN)/python -m pytest -q $(PARALLEL) tests/unit tests/contract

format: $(STAMP)
	$(BIN)/ruff format --check --quiet .

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy --strict --num-workers=2 src tests $(KIT)/src $(LIFEBENCH)

suite: $(STAMP)
	$(BIN)/python -m pytest -q -rs $(PARALLEL)

wheel: $(STAMP)
	$(BIN)/python -m tests.wheel

# Built into build/site; a link that leads nowhere fails.
site: $(STAMP)
	$(BIN)/zensical build --strict

pages: $(STAMP)
	$(BIN)/python -m tests.pages

# From the last commit alone: distributions of every package, their sums and a bill of materials, in build/release.
release: $(STAMP)
	$(INSTALL) --group release
	$(BIN)/python -m tools.release

# Twenty minutes of one core; goes on where it was ended.
proof: $(STAMP)
	$(BIN)/python -m tools.proof

demo: $(PRODUCT)
	rm -rf build/demo
	@$(BIN)/remanence demo build/demo

deep: $(STAMP)
	-$(MAKE) --silent neo4j-server
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -q -rs $(PARALLEL) --dist=worksteal -m "deep or not deep"

# Fetches source distributions; what cannot be fetched is skipped with its reason. Name packages to run only theirs.
test-frameworks: $(STAMP)
	$(BIN)/python -m tests.frameworks $(PACKAGES)

coverage: $(STAMP)
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/coverage run -m pytest -q $(PARALLEL) tests/unit tests/flows
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	@# What decides about memories takes every branch.
	$(BIN)/coverage report --include='*/remanence/curate/*' --fail-under=100

shuffled: $(STAMP)
	$(BIN)/python -m pytest -q -rs --random-order-bucket=global $(if $(SEED),--random-order-seed=$(SEED))

lowest: $(STAMP)
	rm -rf build/lowest && mkdir -p build && "$(PYTHON)" -m venv build/lowest
	$(BIN)/python -m tests.lowest > build/lowest.txt
	build/lowest/bin/python -m pip install --quiet --constraint constraints.txt pip
	build/lowest/bin/python -m pip install --quiet --constraint build/lowest.txt --group dev --editable . --editable $(KIT)
	build/lowest/bin/python -m pytest -q -rs $(PARALLEL)

# Its jars are fetched from Maven Central and are in no distribution.
neo4j-server: tests/neo4j/target/lib

tests/neo4j/target/lib: tests/neo4j/pom.xml tests/neo4j/src/Server.java
	@command -v mvn >/dev/null || { echo "No Maven found: the tests of Neo4j are skipped"; exit 1; }
	cd tests/neo4j && mvn -q -B package
	@touch $@

pins: $(STAMP)
	rm -rf build/pins && mkdir -p build && "$(PYTHON)" -m venv build/pins
	build/pins/bin/python -m pip install --quiet --upgrade pip
	build/pins/bin/python -m pip install --quiet --group dev --editable . --editable $(KIT)
	build/pins/bin/python -m pip freeze --all --exclude-editable --exclude setuptools > constraints.txt

fmt: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
