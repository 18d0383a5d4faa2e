# Paiju: `make run` and `make test` set up what they need. `make help` lists the targets.
.NOTPARALLEL:
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
PROTOS := $(shell find protos -name '*.proto')
# The stamps of a .venv whose interpreter does not run (its Python is gone) say nothing.
ifneq ($(wildcard $(VENV)/.run $(VENV)/.dev),)
  $(shell $(PY) -c '' 2>/dev/null || rm -f $(VENV)/.run $(VENV)/.dev)
endif
# The first Python on the path that is new enough.
PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,\
  $(if $(shell $(p) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(p))))
BOOTSTRAP = @if [ -z "$(PYTHON)" ]; then echo "setup: Python 3.11 or newer is needed" >&2; exit 1; fi; \
  $(PYTHON) deploy/bootstrap.py

.PHONY: help setup proto run test long lint format bench cases proto-release ci clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(VENV)/.run gen/.stamp ## the four services and one match of bots (GAME=, ROUNDS=, SEED=, ONCE=1)
	@$(PY) -m deploy.local

test: setup ## all tests but the long ones
	$(PY) -m pytest -n 2 --dist worksteal -m "not long" $(ARGS)

long: setup ## the long runs: chaos, soak, large random series
	$(PY) -m pytest -m long $(ARGS)

lint: setup ## ruff, mypy, import layers, buf (the tidy rules are tests)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache
	$(VENV)/bin/buf lint
	$(VENV)/bin/buf format -d --exit-code protos
	$(VENV)/bin/buf breaking protos --against protos/release.binpb

format: setup ## rewrites the code in the house style
	$(VENV)/bin/ruff format .
	$(VENV)/bin/buf format -w protos

bench: setup ## what things cost on this machine (ARGS="hand --runs 1")
	$(PY) -m tests.bench $(ARGS)

cases: setup ## every worked case of every game
	$(PY) -m tools.cases $(wildcard libs/variants/*/cases/*.jsonl)

setup: $(VENV)/.dev gen/.stamp ## .venv with all packages, stubs, this project

proto: setup ## the stubs in gen/
	$(PY) deploy/stubs.py

proto-release: setup ## the image later protos are compared with (at a release only)
	$(VENV)/bin/buf build protos --exclude-source-info -o protos/release.binpb

ci: proto lint test ## what .ci/run does

clean: ## removes what can be made again (not var/)
	rm -rf $(VENV) gen *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.run: pyproject.toml constraints.txt
	$(BOOTSTRAP) run

$(VENV)/.dev: pyproject.toml constraints.txt
	$(BOOTSTRAP) dev

gen/.stamp: $(PROTOS) deploy/stubs.py | $(VENV)/.run
	@$(PY) deploy/stubs.py
