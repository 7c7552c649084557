# The environment is made once, in .venv; every other target runs inside it.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BIN := .venv/bin
STAMP := .venv/.complete
UV := $(shell command -v uv 2>/dev/null)
# The first Python on the path that is 3.11, 3.12 or 3.13 and really starts.
OK := import sys, venv, ensurepip; raise SystemExit(not (3, 11) <= sys.version_info[:2] < (3, 14))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(OK)' 2>/dev/null && { echo $$p; break; }; done)

.PHONY: help .venv test lint types suite wheel demo deep fmt clean

help:
	@echo "make demo   the main job on a conversation of our own, in under a minute"
	@echo "make test   lint, types, the whole suite, the wheel in an empty environment"
	@echo "make deep   long campaigns of the same laws"
	@echo "make fmt    format and mend what ruff can mend"
	@echo "make clean  remove the environment and everything built"

.venv: $(STAMP)

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.13 found: install one, or name it: make PYTHON=/path/to/python3"; exit 1; }
ifneq ($(UV),)
	test -x $(BIN)/python || uv venv --quiet --python "$(PYTHON)" .venv
	uv pip install --quiet --python $(BIN)/python --group dev --editable .
else
	test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	$(BIN)/python -m ensurepip --upgrade >/dev/null
	@# Dependency groups need pip 25.1.
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group dev --editable .
endif
	@touch $@

test: lint types suite wheel

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy --strict src tests

suite: $(STAMP)
	$(BIN)/python -m pytest -q -rs

wheel: $(STAMP)
	$(BIN)/python -m tests.wheel

demo: $(STAMP)
	@$(BIN)/python -m examples.demo

deep: $(STAMP)
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -q -rs -m "deep or not deep"

fmt: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
