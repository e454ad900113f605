# Everything a developer does, one word each. `make` alone lists them.

.DEFAULT_GOAL := help
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

PORT ?= 8000
# A Python to make the environment from; by default the first of these that is new enough.
PYTHON ?=
AUDIT_ARGS ?=
PAGES_ARGS ?=
FROM ?= HEAD~50
PURE_LDP_ARGS ?=
SCALE_ARGS ?=
ENGINES_ARGS ?=
# Where wheels go.
DIST ?= $(CURDIR)/dist
PYTEST_ARGS ?= --numprocesses auto --dist worksteal
RUN := .venv/bin/python
# What browser tests load into pages, from npm.
AXE := tests/browser/node_modules/.installed
# What pages draw charts with: a part of plotly.js, kept here as npm has it.
PLOTLY := reports/static/plotly

# Many containers set it; every process that a test starts would then compile all it imports, and so would each run.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install install-dev extra-s3 extra-telemetry extra-dask run test test-all test-clocks test-many endurance check check-deployment check-upgrade format messages benchmark benchmark-words benchmark-pages benchmark-scale benchmark-pure-ldp engines regression noise paper training benchmark-training audit audit-dependencies sbom library client lock plotly clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: .venv/.installed ## Make .venv with what the site needs

install-dev: .venv/.installed-dev $(AXE) ## The same, with what tests and checks need

extra-s3 extra-telemetry extra-dask: .venv/.installed ## Add what a bucket, traces or a Dask cluster need
	@$(call pip_install,requirements-$(@:extra-%=%).txt)

run: .venv/.installed ## Start the whole site with demonstration data (PORT=8000)
	@$(RUN) manage.py run --port $(PORT)

test: .venv/.installed-dev $(AXE) ## Run all tests (PYTEST_ARGS="tests/ldpsite -k name")
	@$(RUN) -m pytest $(PYTEST_ARGS)

test-all: ## Run all that CI does, and all tests on both databases (once a release; installs servers with apt-get)
	@.ci/run --all

test-clocks: .venv/.installed-dev ## Run what depends on dates under seven clocks (once a release, an hour)
	@$(RUN) -m tests.clocks $(PYTEST_ARGS)

test-many: .venv/.installed-dev ## Run three hosts on servers of their own while parts of them die (two minutes)
	@$(RUN) -m pytest -m many tests/many

endurance: .venv/.installed-dev ## The same with 50 kills, an outage, a full disk, a wrong clock (a quarter of an hour; root, faketime)
	@$(RUN) -m tests.many

check: .venv/.installed-dev ## Format, lint, types, templates, migrations, deployment settings, known holes
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	cd clients/python && ../../$(RUN) -m mypy
	@if [ -d templates ]; then set -x; $(RUN) -m djlint templates --lint --profile django --quiet; fi
	$(RUN) manage.py makemigrations --check --dry-run
	$(RUN) manage.py check --deploy --fail-level WARNING
	@$(MAKE) audit-dependencies

check-deployment: .venv/.installed-dev .venv-deployment/.installed ## Hold deploy/ against promtool, hadolint and the like (Debian: prometheus)
	@PATH="$(CURDIR)/.venv-deployment/bin:$$PATH" $(RUN) -m pytest tests/deployment/check_tools.py

check-upgrade: .venv/.installed ## Run web of an earlier revision on the tables of this one (FROM=HEAD~50)
	@$(RUN) -m tools.upgrade $(FROM)

format: .venv/.installed-dev ## Format the code and repair what lint can repair
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

messages: .venv/.installed ## Collect what is to be translated into locale/, and compile it (needs gettext)
	$(RUN) manage.py makemessages --locale fr --no-obsolete --no-wrap --add-location file \
	  --ignore benchmarks --ignore docs --ignore tests --ignore var
	$(RUN) manage.py compilemessages --locale fr

benchmark: .venv/.installed ## Measure speed and accuracy
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m benchmarks

benchmark-words: .venv/.installed ## Measure how many unknown words each mechanism finds (WORDS_ARGS="4 300000")
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m benchmarks.found_words $(WORDS_ARGS)

benchmark-pages: .venv/.installed-dev ## Measure every page of a site with a year of histograms (PAGES_ARGS="--use-cases 5")
	@$(RUN) -m benchmarks.pages $(PAGES_ARGS)

benchmark-scale: .venv/.installed ## Measure what many reports a day cost (SCALE_ARGS="--only uploads")
	@$(RUN) -m benchmarks.scale $(SCALE_ARGS)

benchmark-pure-ldp: .venv-pure-ldp/.installed ## Measure pure-LDP beside the mechanisms here (PURE_LDP_ARGS="--repetitions 5")
	@OPENBLAS_NUM_THREADS=1 .venv-pure-ldp/bin/python -m benchmarks.beside_pure_ldp $(PURE_LDP_ARGS)

engines: .venv-engines/.installed ## Count by Dask and Beam what the site counts, as docs/engines.md says, and measure both
	@OPENBLAS_NUM_THREADS=1 .venv-engines/bin/python -m benchmarks.engines $(ENGINES_ARGS)

regression: .venv/.installed ## Measure what is shown wrongly, by input, size, mechanism and ε, and keep it for this release
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.regression

noise: .venv/.installed ## Measure the noise of every mechanism against the best known (the table of docs/mathematics.md)
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.noise

training: .venv/.installed ## Measure private training on the demonstration's data (the tables of docs/training.md; two hours)
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.training

benchmark-training: .venv/.installed ## Measure a step of private training beside the same linear algebra alone
	@$(RUN) -m benchmarks.training

paper: .venv/.installed-dev ## Repeat the experiment of the evaluation model's paper, and draw its figures (docs/evaluation/)
	@OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.paper

audit: .venv/.installed ## Measure ε of both clients, of all use cases (AUDIT_ARGS="keyboard-emoji --client python")
	@$(RUN) manage.py audit $(AUDIT_ARGS)

audit-dependencies: .venv/.installed-dev ## Ask an advisory database for known holes in what is locked
	@$(RUN) -m tools.advisories requirements.txt requirements-s3.txt requirements-telemetry.txt requirements-dask.txt requirements-dev.txt

sbom: .venv/.installed-dev ## List what the site is made of, in CycloneDX (sbom.cdx.json)
	$(RUN) -m cyclonedx_py requirements requirements.txt --output-reproducible --output-file sbom.cdx.json

library: .venv/.installed-dev ## Build the mathematics as a library of its own (dist/ldpsketch-*.whl)
	@cd library && ../$(RUN) -m hatchling build --target wheel --directory $(DIST)

client: .venv/.installed-dev ## Build the client for notebooks and programs (dist/ldpsite_client-*.whl)
	@cd clients/python && ../../$(RUN) -m hatchling build --target wheel --directory $(DIST)

lock: ## Resolve requirements*.in again, with hashes (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" requirements.in -o requirements.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" requirements-s3.in -o requirements-s3.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" requirements-telemetry.in -o requirements-telemetry.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" requirements-dev.in -o requirements-dev.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" benchmarks/pure_ldp.in -o benchmarks/pure_ldp.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" requirements-dask.in -o requirements-dask.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" benchmarks/engines.in -o benchmarks/engines.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" deploy/checks.in -o deploy/checks.txt

plotly: .venv/.installed ## Fetch plotly.js again, of the version that the Python package is made for (needs npm)
	@version=$$($(RUN) -c 'from plotly.offline import get_plotlyjs_version as version; print(version())') && \
	fetched=$$(mktemp -d) && trap 'rm -rf "$$fetched"' EXIT && \
	npm pack "plotly.js-basic-dist-min@$$version" --pack-destination "$$fetched" --loglevel error && \
	tar -xzf "$$fetched"/*.tgz -C "$$fetched" && \
	install -m 644 "$$fetched"/package/plotly-basic.min.js "$$fetched"/package/LICENSE $(PLOTLY) && \
	cd $(PLOTLY) && sha256sum plotly-basic.min.js LICENSE > SHA256SUMS

clean: ## Delete the environments and the caches; the data folder stays
	rm -rf .venv .venv-deployment .venv-engines .venv-pure-ldp .mypy_cache .pytest_cache .ruff_cache .hypothesis htmlcov tests/browser/node_modules

# --- The environment. A stamp tells which requirements are installed; they are installed again when they change. ---

# uv shows by itself how far it is. Of what pip prints, a numbered line for each package; its errors are shown as they are.
define pip_install
if command -v uv >/dev/null 2>&1; then \
  uv pip install --python $(RUN) --compile-bytecode --require-hashes -r $(1); \
else \
  rm -f .venv/.failed; \
  { $(RUN) -u -m pip install --disable-pip-version-check --progress-bar off --require-hashes -r $(1) \
    || touch .venv/.failed; } | { seen=0; while read -r deed package _; do case "$$deed" in \
    Collecting|Processing) seen=$$((seen + 1)); echo "  $$seen of $$(grep -c == $(1)): $${package##*/}" ;; \
    Ignoring|Requirement) seen=$$((seen + 1)) ;; \
    Installing) echo "  Unpacking them, which takes a minute on a slow machine …" ;; \
  esac; done; }; \
  test ! -e .venv/.failed; \
fi
endef

.venv/.installed: requirements.txt | .venv/bin/python
	@echo "Installing requirements.txt …"
	@$(call pip_install,requirements.txt)
	@touch $@

.venv/.installed-dev: requirements-dev.txt .venv/.installed
	@echo "Installing requirements-dev.txt …"
	@$(call pip_install,requirements-dev.txt)
	@touch $@

# Environments beside it, made anew from its Python.
OTHERS := .venv-deployment/.installed .venv-engines/.installed .venv-pure-ldp/.installed
.venv-deployment/.installed: deploy/checks.txt
.venv-engines/.installed: benchmarks/engines.txt
.venv-pure-ldp/.installed: benchmarks/pure_ldp.txt

$(OTHERS): private RUN = $(@D)/bin/python
$(OTHERS): | .venv/bin/python
	@echo "Installing $< …"
	@rm -rf $(@D)
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --no-project --python .venv/bin/python $(@D); \
	else .venv/bin/python -m venv $(@D); fi
	@$(call pip_install,$<)
	@touch $@

$(AXE): tests/browser/package-lock.json
	@if command -v npm >/dev/null 2>&1; then \
	  echo "Installing tests/browser/package-lock.json …"; \
	  npm ci --prefix tests/browser --ignore-scripts --loglevel error && touch $@; \
	else \
	  echo "npm is not installed: the tests of accessibility will be skipped." >&2; \
	fi

.venv/bin/python:
	@python=; for candidate in $(if $(PYTHON),$(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Python 3.11 or newer is needed ($$(python3 --version 2>&1 || echo 'no python3')). Install it, or: make PYTHON=/path/to/python3.11" >&2; exit 1; \
	fi; \
	rm -rf .venv; \
	if command -v uv >/dev/null 2>&1; then uv venv --quiet --no-project --python "$$(command -v "$$python")" .venv; \
	elif "$$python" -c 'import ensurepip, venv' 2>/dev/null; then "$$python" -m venv .venv; \
	else \
	  echo "$$python cannot make environments: its ensurepip is missing. Install it (Debian: apt-get install python3-venv), or install uv." >&2; exit 1; \
	fi
