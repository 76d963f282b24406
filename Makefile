# make demo    the lesson on the bundled weights        make test    every test
# make lint    style and types                          make check MODEL=folder    the tests on real weights

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint check clean

demo: $(VENV)/installed
	$(BIN)/minikv demo

test: $(VENV)/installed-test
	$(BIN)/python -m pytest

check: $(VENV)/installed-test
	$(BIN)/python -m pytest tests/real_weights.py --model "$(MODEL)"

lint: $(VENV)/installed-lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# torch first and alone: a resolver that meets it among other requests may choose another build of it.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "installing torch and the other packages into $(VENV): some minutes the first time"
	$(PIP_INSTALL) torch==$$(sed -n 's/^torch==//p' constraints.txt)
	$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(PIP_INSTALL) --editable '.[test]'
	@touch $@

$(VENV)/installed-lint: $(VENV)/installed-test
	$(PIP_INSTALL) --editable '.[lint]'
	@touch $@

clean:
	rm -rf $(VENV) build dist
