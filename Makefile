# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
PYTEST ?= -n auto --dist worksteal
VENV := .venv
BIN := $(VENV)/bin
# compiled modules are kept: without them every start compiles the whole product again
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo run test check bench clean help

help: ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.product ## see the whole product on a simulated market, with a chat in the terminal
	$(BIN)/atalaia demo

run: $(VENV)/.product ## watch the real marketplaces (config.toml)
	$(BIN)/atalaia run

test: $(VENV)/.tools ## run the whole test suite
	$(BIN)/python -m pytest $(PYTEST)

check: $(VENV)/.tools ## everything that must hold: format, lint, types, architecture, tests, wheel
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest $(PYTEST)
	rm -rf build/wheel && $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv && build/wheel/venv/bin/pip install --quiet --disable-pip-version-check build/wheel/*.whl
	cd build/wheel && venv/bin/atalaia --version && venv/bin/atalaia status --json > /dev/null

bench: $(VENV)/.tools ## measure the claims of docs/benchmarks.md
	$(BIN)/python -m benchmarks

clean: ## remove what was built
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.product: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.tools: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.product
