# make demo    the lesson on the bundled weights        make test    every test
# make lint    style and types                          make check MODEL=folder    the tests on real weights
# make bench   minikv beside transformers, and the targets; with MODEL=folder on real weights: the whole of it takes hours
# make wheel   build the wheel, and run the demo from it in an empty folder
# make notebooks    run the lessons, and hold their stored outputs to what comes out; with MODEL=folder on real weights
# make notebooks-update    run the lessons, and store what comes out

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint check bench wheel notebooks notebooks-update clean

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

# The bundled checkpoint's context is too short for the long documents.
ifdef MODEL
BENCH_SIZES ?= 256x6,256x32,2048x6,2048x32
else
BENCH_SIZES ?= 256x6,256x32
endif
BENCH = $(BIN)/minikv bench extract $(if $(MODEL),--model "$(MODEL)") --sizes $(BENCH_SIZES) $(BENCH_OPTIONS)

bench: $(VENV)/installed-test
	$(BENCH) --dtype bfloat16
	$(BENCH) --dtype float32

# The wheel is unpacked beside the environment that has its dependencies, and comes before the editable install there.
wheel: $(VENV)/installed
	rm -rf build dist && mkdir -p build/empty
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python -m pip install --quiet --no-deps --target build/wheel dist/*.whl
	cd build/empty && PYTHONPATH=../wheel ../../$(BIN)/python -c "import minikv; assert 'build/wheel' in minikv.__file__"
	cd build/empty && PYTHONPATH=../wheel ../../$(BIN)/python -m minikv demo

notebooks: $(VENV)/installed-notebooks
	$(BIN)/python notebooks/run.py $(if $(MODEL),--model "$(MODEL)")

notebooks-update: $(VENV)/installed-notebooks
	$(BIN)/python notebooks/run.py --update

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

$(VENV)/installed-notebooks: $(VENV)/installed
	$(PIP_INSTALL) --editable '.[notebooks]'
	@touch $@

$(VENV)/installed-lint: $(VENV)/installed-test
	$(PIP_INSTALL) --editable '.[lint]'
	@touch $@

clean:
	rm -rf $(VENV) build dist
