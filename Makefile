# Every target makes its own environment: a machine needs only Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench clean

define environment
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -f $(VENV)/.$(1) -a $(VENV)/.$(1) -nt pyproject.toml || \
		{ echo "installing rowtrust[$(1)] into $(VENV) ..."; \
		  $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(1)]' && touch $(VENV)/.$(1); }
endef

demo: ## study two built-in dirty tables; says where the reports lie
	$(call environment,cli)
	$(BIN)/rowtrust demo

test: ## run all tests
	$(call environment,test)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

lint: ## style, types, one-way imports
	$(call environment,lint)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: ## race against peers; prints its own tables
	$(call environment,bench)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV)
