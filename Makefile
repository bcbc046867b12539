# Every target makes its own environment: a machine needs only Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
INSTALLED := .venv-wheel
BIN := $(VENV)/bin
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
MINUTES ?= 5
SEED ?=
JOBS ?= 2
DEVELOP := -e '.[cli,plot,excel,onnx,dask]'

.PHONY: demo test test-slow fuzz test-oldest test-wheel lint docs evidence evidence-quick release-check bench papers papers-quick clean

# $(call environment,FOLDER,NAME,WHAT): install WHAT into FOLDER, again only when pyproject.toml changed.
# Dependency groups need pip 25.1 or newer.
define environment
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@test $(1)/.$(2) -nt pyproject.toml || \
		{ echo "installing rowtrust for $(2) into $(1) ..."; \
		  $(1)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' && \
		  $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(3) && touch $(1)/.$(2); }
endef

demo: ## study two built-in dirty tables; says where the reports lie
	$(call environment,$(VENV),demo,-e '.[cli]')
	$(BIN)/rowtrust demo

test: ## run the tests: minutes
	$(call environment,$(VENV),test,$(DEVELOP) --group test)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto

test-slow: ## run the tests that are slow by nature: 25 000 rows in every container, kills, hostile shapes, notebooks
	$(call environment,$(VENV),test,$(DEVELOP) --group test)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto -m slow tests

fuzz: ## try random data, options and files for MINUTES; with new seeds, unless there is a SEED
	$(call environment,$(VENV),test,$(DEVELOP) --group test)
	$(ONE_THREAD) $(BIN)/python -m benchmarks fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

test-oldest: ## run the tests with the oldest libraries that pyproject.toml allows
	@mkdir -p $(OLDEST)
	@$(PYTHON) .ci/oldest.py > $(OLDEST)/constraints.txt
	$(call environment,$(OLDEST),test,$(DEVELOP) --group test --constraint $(OLDEST)/constraints.txt)
	$(ONE_THREAD) $(OLDEST)/bin/python -m pytest -n auto

test-wheel: ## build wheel and sdist, install the wheel into an empty environment, and run the tests against it
	@rm -rf dist $(INSTALLED) && $(PYTHON) -m venv $(INSTALLED)
	$(INSTALLED)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' build
	$(INSTALLED)/bin/python -m build --outdir dist .
	$(INSTALLED)/bin/python -m pip install --quiet "$$(ls dist/*.whl)[cli,plot,excel,onnx,dask]" --group test
	$(INSTALLED)/bin/python -c "import rowtrust; assert '$(INSTALLED)' in rowtrust.__file__, rowtrust.__file__"
	$(ONE_THREAD) $(INSTALLED)/bin/python -m pytest -n auto tests papers

lint: ## style, types, one-way imports, docstrings
	$(call environment,$(VENV),lint,$(DEVELOP) --group lint)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/shape.py
	$(ONE_THREAD) $(BIN)/python .ci/docstrings.py

docs: ## build the site into docs/_build/html, run its examples and check its links: minutes, offline
	$(call environment,$(VENV),docs,$(DEVELOP) --group docs)
	$(ONE_THREAD) $(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --nitpicky docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

evidence: ## measure every figure of the docs and write docs/evidence and README's table: half a day, can be stopped
	$(call environment,$(VENV),bench,-e '.[dask]' --group bench)
	$(ONE_THREAD) $(BIN)/python -m benchmarks evidence --jobs $(JOBS)

evidence-quick: ## the same for seven tables of 120 rows, into rowtrust-results/evidence: minutes
	$(call environment,$(VENV),bench,-e '.[dask]' --group bench)
	$(ONE_THREAD) $(BIN)/python -m benchmarks evidence --quick --jobs $(JOBS)

release-check: ## fail where the committed evidence is not of today's code
	$(call environment,$(VENV),bench,-e '.[dask]' --group bench)
	$(BIN)/python -m benchmarks evidence check

bench: ## race against peers; prints its own tables
	$(call environment,$(VENV),bench,-e '.[dask]' --group bench)
	$(BIN)/python -m benchmarks

papers: ## run all tables, figures and claims of the papers again and write docs/papers: hours, can be stopped
	$(call environment,$(VENV),papers,-e . --group papers)
	$(ONE_THREAD) $(BIN)/python -m papers all --pages docs/papers

papers-quick: ## the same with few repeats, into rowtrust-results/quick: minutes
	$(call environment,$(VENV),papers,-e . --group papers)
	$(ONE_THREAD) $(BIN)/python -m papers all --quick --output rowtrust-results/quick

clean: ## remove the environments and the built site
	rm -rf $(VENV) $(OLDEST) $(INSTALLED) dist docs/_build docs/gallery docs/api/objects
