"""`minikv bench cache`: its figures agree with each other, its curves with what is known of them. Nothing here says how
fast anything is."""

import json
import re
import statistics
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from typer.testing import CliRunner, Result

import minikv
from minikv.bench import growth, growth_report, shapes
from minikv.bench.draw import draw_growth
from minikv.bench.fit import exponent, fit_exponential, fit_polynomial, miss, r_squared
from minikv.bench.growth import Comparison, Growth, Run, compare
from minikv.cli import app
from tests.fixture import Oracle, ids

FACTS = {"cpu": "a processor", "threads": "1", "dtype": "float32", "torch": "2"}
N = np.arange(1.0, 401.0)


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "160", "TERM": "dumb"}).invoke(app, ["bench", "cache", *map(str, arguments)])


def last_line(done: Result) -> dict:
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def made_up(uncached: np.ndarray, every: int = 1, runs: int = 5, noise: float = 0.02) -> Comparison:
    """A comparison whose seconds without a cache lie about the given ones, one in `every` of them timed, and with it
    about a hundredth."""
    draw = np.random.default_rng(0)
    whole = len(uncached)

    def growth_of(all_seconds: np.ndarray, places: tuple[int, ...], degree: int) -> Growth:
        seconds = all_seconds[np.array(places) - 1]
        times = [seconds * (1 + noise * draw.standard_normal(len(seconds))) for _ in range(runs)]
        return Growth([Run(places, tuple(map(float, one))) for one in times], places, degree)  # the n-th chose token n

    cached = growth_of(np.full(whole, 0.01), growth.places(whole), degree=1)
    return Comparison(8, 10**6, cached, growth_of(uncached, growth.places(whole, every), degree=2))


# --- the curves -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [(0.02, 1e-4, 4e-7), (0.02, 0.0, 4e-7), (0.0, 1e-4, 0.0), (0.02, 0.0, 0.0)])
def test_the_polynomial_finds_known_coefficients(known: tuple[float, ...]) -> None:
    seconds = np.polynomial.polynomial.polyval(N, known)
    exact = fit_polynomial(N, seconds, degree=2)
    assert exact.coefficients == pytest.approx(known, rel=1e-6, abs=1e-12)
    noisy = seconds + 0.02 * seconds.mean() * np.random.default_rng(1).standard_normal(len(N))
    found = fit_polynomial(N, noisy, degree=2)
    assert found.at(N) == pytest.approx(seconds, rel=0, abs=0.01 * seconds.mean())
    assert miss(found, N, noisy) == pytest.approx(0.02, rel=0.1)


def test_no_coefficient_is_negative_even_where_a_negative_one_would_fit_better() -> None:
    falling = 1.0 - N / 1000
    found = fit_polynomial(N, falling, degree=2)
    assert found.coefficients == pytest.approx((falling.mean(), 0, 0))
    assert r_squared(found, N, falling) == pytest.approx(0)


def test_few_points_get_few_terms() -> None:
    assert fit_polynomial(np.array([5.0]), np.array([2.0]), degree=2).at(np.array([5.0])) == pytest.approx(2.0)
    two = np.array([1.0, 2.0])
    assert fit_polynomial(two, np.array([3.0, 4.0]), degree=2).at(two) == pytest.approx([3.0, 4.0])


@pytest.mark.parametrize("b", [-0.01, 0.0, 0.003, 0.05])
def test_the_exponential_finds_known_coefficients(b: float) -> None:
    found = fit_exponential(N, 0.02 * np.exp(b * N))
    assert (found.a, found.b) == (pytest.approx(0.02, rel=1e-6), pytest.approx(b, rel=1e-6, abs=1e-9))


@pytest.mark.parametrize("power", [1, 2, 3])
def test_the_exponent_of_a_power_is_its_own(power: int) -> None:
    assert exponent(7 * N**power) == pytest.approx(power)
    assert exponent(np.array([3.0])) is None


def test_a_quadratic_and_an_exponential_are_told_apart() -> None:
    quadratic = made_up(0.02 + 1e-4 * N + 1e-7 * N**2)
    assert quadratic.uncached.miss < quadratic.exponential_miss
    polynomial, exponential = quadratic.foretold
    assert polynomial == pytest.approx(1, abs=0.05)
    assert exponential > 1.1
    assert "is polynomial, not exponential" in growth_report.growth_remark(quadratic)
    grown = made_up(0.02 * np.exp(0.02 * N))
    assert grown.exponential_miss < grown.uncached.miss
    polynomial, exponential = grown.foretold
    assert exponential == pytest.approx(1, abs=0.1)
    assert polynomial < 0.7
    assert "not exponential" not in growth_report.growth_remark(grown)


# --- the figures ------------------------------------------------------------------------------------------------------


def check_figures(told: dict, runs: int, new_tokens: int) -> None:
    """What the JSON says twice it says alike."""
    assert (told["runs"], told["new_tokens"]) == (runs, new_tokens)
    for walk in (told["with_cache"], told["without_cache"]):
        seconds = walk["seconds"]
        assert len(seconds) == len(walk["timed_seconds"]) == runs
        assert walk["mean"] == pytest.approx(statistics.mean(seconds))
        assert walk["median"] == pytest.approx(statistics.median(seconds))
        assert walk["std"] == pytest.approx(statistics.stdev(seconds) if runs > 1 else 0)
        assert walk["tokens_per_second"] == pytest.approx(new_tokens / walk["median"])
        assert len(walk["per_token"]) == len(walk["places"]) == walk["timed_tokens"]
        assert (walk["places"][0], walk["places"][-1]) == (1, new_tokens)
        assert walk["interpolated"] == (walk["timed_tokens"] < new_tokens)
        assert all(second > 0 for second in walk["per_token"])
        assert walk["interpolated"] or seconds == pytest.approx(walk["timed_seconds"])
    assert len(told["with_cache"]["per_token"]) == new_tokens
    assert told["ratio"] == pytest.approx(told["without_cache"]["median"] / told["with_cache"]["median"])


def test_both_walks_choose_what_generate_chooses(model: minikv.Qwen2) -> None:
    (expected,) = minikv.generate(model, [ids(9)], max_new_tokens=30)
    assert list(growth.with_cache(model, ids(9), 30)) == expected
    assert list(growth.without_cache(model, ids(9), 30)) == expected


def test_the_figures_of_real_runs_agree(model: minikv.Qwen2) -> None:
    found = compare(model, ids(9), new_tokens=12, runs=3)
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    check_figures(told, runs=3, new_tokens=12)
    assert told["same_tokens"]
    assert told["first_difference"] is None
    assert told["distinct_tokens"] > 3
    assert told["cache_bytes"] == minikv.KVCache.empty(model, rows=1, slots=9 + 12 - 1).nbytes
    for walk, growth_ in ((told["with_cache"], found.cached), (told["without_cache"], found.uncached)):
        assert walk["seconds"] == pytest.approx([sum(one.seconds) for one in growth_.runs])
        columns = zip(*(one.seconds for one in growth_.runs), strict=True)
        assert walk["per_token"] == pytest.approx([statistics.median(column) for column in columns])


def test_a_single_run_of_a_single_token_is_enough(model: minikv.Qwen2, tmp_path: Path) -> None:
    found = compare(model, ids(2), new_tokens=1, runs=1)
    check_figures(json.loads(json.dumps(found.as_json(), allow_nan=False)), runs=1, new_tokens=1)
    assert "too few" in growth_report.growth_remark(found)
    draw_growth(found, "one token", FACTS, tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text().startswith("<?xml")


def test_runs_that_choose_otherwise_are_told_of() -> None:
    found = made_up(0.02 + 1e-4 * N)
    other = replace(found.uncached.runs[2], tokens=(*range(1, 38), 0, *range(39, 401)))
    found = replace(found, uncached=replace(found.uncached, runs=[*found.uncached.runs[:2], other]))
    assert found.first_difference == 38
    assert not found.as_json()["same_tokens"]
    assert "differ from token 38 on" in growth_report.remarks(found)[-1]


# --- one token in so many timed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new_tokens", "every", "expected"),
    [
        (1, 1, [1]),
        (1, 5, [1]),
        (4, 1, [1, 2, 3, 4]),
        (3, 10, [1, 3]),
        (10, 3, [1, 4, 7, 10]),
        (12, 3, [1, 4, 7, 10, 12]),
    ],
)
def test_the_first_and_the_last_token_are_always_timed(new_tokens: int, every: int, expected: list[int]) -> None:
    assert list(growth.places(new_tokens, every)) == expected


def test_a_skipping_walk_chooses_its_tokens_itself_from_the_whole_sequence(
    model: minikv.Decoder, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tokens,) = minikv.generate(model, [ids(9)], max_new_tokens=30)
    for place in (1, 8, 15, 22, 29, 30):
        assert int(oracle([*ids(9), *tokens[: place - 1]])[-1].argmax()) == tokens[place - 1]
    fed = []
    hidden = model.hidden

    def watched(tokens: torch.Tensor) -> torch.Tensor:
        fed.append(tokens[0].tolist())
        return hidden(tokens)

    monkeypatch.setattr(model, "hidden", watched)
    chosen = list(growth.without_cache(model, ids(9), 30, every=7, between=tokens))
    assert chosen == [tokens[place - 1] for place in (1, 8, 15, 22, 29, 30)]
    assert fed == [[*ids(9), *tokens[: place - 1]] for place in (1, 8, 15, 22, 29, 30)]
    # The other walk's tokens at the timed places are of no account. Those between are.
    timed_otherwise = [0 if number % 7 == 1 else token for number, token in enumerate(tokens, start=1)]
    assert list(growth.without_cache(model, ids(9), 30, every=7, between=timed_otherwise)) == chosen
    second_otherwise = [tokens[0], (tokens[1] + 1) % 97, *tokens[2:]]
    assert list(growth.without_cache(model, ids(9), 30, every=7, between=second_otherwise))[1:] != chosen[1:]


def test_a_walk_with_a_cache_that_errs_at_a_timed_token_is_found_out(
    model: minikv.Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = growth.with_cache

    def wrong(model: minikv.Decoder, prompt: list[int], new_tokens: int) -> Iterator[int]:
        for number, token in enumerate(right(model, prompt, new_tokens), start=1):
            yield (token + 1) % 97 if number == 9 else token

    monkeypatch.setattr(growth, "with_cache", wrong)
    found = compare(model, ids(9), new_tokens=12, runs=1, every=4)
    assert found.first_difference == 9
    assert not found.as_json()["same_tokens"]


def test_a_skipping_walk_needs_the_tokens_between(model: minikv.Decoder) -> None:
    with pytest.raises(minikv.MinikvError, match="expected the 12 tokens of another walk"):
        next(growth.without_cache(model, ids(9), 12, every=4, between=ids(11)))


def test_each_run_without_a_cache_times_so_many_tokens(model: minikv.Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**6))  # a second passes each time that somebody looks
    monkeypatch.setattr(growth.time, "perf_counter", lambda: float(next(clock)))
    found = compare(model, ids(9), new_tokens=12, runs=2, every=4)
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    check_figures(told, runs=2, new_tokens=12)
    assert found.first_difference is None
    assert found.uncached.places == (1, 5, 9, 12)
    assert found.uncached.runs[1].tokens == tuple(found.cached.runs[1].tokens[place - 1] for place in (1, 5, 9, 12))
    assert told["without_cache"]["timed_seconds"] == [4, 4]
    assert told["with_cache"]["seconds"] == told["without_cache"]["seconds"] == pytest.approx([12, 12])


@pytest.mark.parametrize("every", [1, 2, 7, 10, 25, 399, 1000])
def test_the_interpolated_total_is_the_whole_walks(every: int) -> None:
    linear = 0.02 + 1e-4 * N
    found = made_up(linear, every, noise=0).uncached
    assert found.totals.median == pytest.approx(linear.sum())
    assert found.exponent == pytest.approx(exponent(np.cumsum(linear)))
    c = 4e-7
    quadratic = linear + c * N**2
    found = made_up(quadratic, every, noise=0).uncached
    gap = min(every, 399)  # 400 tokens: no wider
    assert -1e-9 <= found.totals.median - quadratic.sum() <= c * 400 * (gap**2 - 1) / 6 + 1e-9
    assert np.diff(found.running) == pytest.approx(found.of_all(found.per_token)[1:])
    assert (found.running[-1], len(found.running)) == (pytest.approx(found.totals.median), 400)
    assert [found.of_all(found.per_token)[place - 1] for place in found.places] == found.per_token


def test_timing_some_tokens_changes_no_figure_but_their_number() -> None:
    seconds = 0.02 + 1e-4 * N + 1e-6 * N**2
    whole, some = made_up(seconds), made_up(seconds, every=9)
    told = some.as_json()
    check_figures(json.loads(json.dumps(told)), runs=5, new_tokens=400)
    assert told["without_cache"]["timed_tokens"] == 46
    assert told["without_cache"]["places"][-2:] == [397, 400]
    assert some.uncached.totals.seconds == pytest.approx(whole.uncached.totals.seconds, rel=0.02)
    assert some.uncached.totals.median == pytest.approx(seconds.sum(), rel=0.02)
    assert some.uncached.curve.at(N) == pytest.approx(seconds, rel=0.05)
    assert some.uncached.exponent == pytest.approx(whole.uncached.exponent, abs=0.03)
    assert some.uncached.miss == pytest.approx(whole.uncached.miss, abs=0.01)
    assert some.ratio == pytest.approx(whole.ratio, rel=0.02)
    assert some.exponential.at(N) == pytest.approx(whole.exponential.at(N), rel=0.05)
    assert some.foretold == pytest.approx(whole.foretold, rel=0.1)
    assert "is polynomial, not exponential" in growth_report.growth_remark(some)


def test_what_was_interpolated_says_so(tmp_path: Path) -> None:
    seconds = 0.02 + 1e-4 * N
    told = {}
    for every in (1, 9):
        found = made_up(seconds, every, noise=0)
        with Console(width=160, record=True, file=StringIO()) as console:
            console.print(growth_report.totals_table(found), growth_report.places_table(found))
        draw_growth(found, "a model", FACTS, tmp_path / "picture.svg")
        told[every] = [
            console.export_text(),
            " ".join(growth_report.remarks(found)),
            (tmp_path / "picture.svg").read_text(),
        ]
    assert not any("interpolated" in text for text in told[1])
    table, remarks, picture = told[9]
    assert "without, 46 of them timed, the others interpolated" in table
    assert "46 of the 400 tokens were timed, from the first to the last, in 1.9 s" in remarks
    assert "without a cache 46 tokens timed, the others interpolated" in picture
    rows = re.findall(r"│ +(\d+) │ +([\d.]+) │ +([\d.]+) │ +([\d.]+) │ +([\d.]+) │", table)
    assert [int(row[0]) for row in rows] == [1, 10, 46, 100, 145, 199, 253, 298, 352, 400]
    for place, *milliseconds in rows:  # all of them timed in both walks
        known = 20 + 0.1 * int(place)
        assert list(map(float, milliseconds)) == pytest.approx([10, 10, known, known], abs=0.01)


# --- the shapes -------------------------------------------------------------------------------------------------------


def test_the_shapes_have_the_official_sizes() -> None:
    """Parameters in millions, as counted in the official checkpoints (a tied head once)."""
    millions = {name: sum(p.numel() for p in shapes.blank_shape(name).parameters()) / 1e6 for name in shapes.SHAPES}
    assert {name: round(count, 1) for name, count in millions.items()} == {
        "gpt2": 124.4,
        "gpt2-medium": 354.8,
        "gpt2-large": 774.0,
        "gpt2-xl": 1557.6,
        "qwen2.5-0.5b": 494.0,
        "qwen2.5-1.5b": 1543.7,
        "qwen2.5-3b": 3085.9,
    }


@pytest.mark.parametrize(
    "small",
    [shapes.gpt2(hidden=64, layers=12, heads=4), shapes.qwen2(64, intermediate=128, layers=12, heads=4, kv_heads=2)],
    ids=["gpt2", "qwen2"],
)
def test_random_weights_are_the_seeds_own_and_say_more_than_one_token(
    small: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(shapes.SHAPES, "small", small | {"vocab_size": 500})
    one, same, other = (
        shapes.fill_randomly(shapes.blank_shape("small"), torch.float32, seed=seed) for seed in (3, 3, 4)
    )
    assert one.lm_head.weight is one.get_parameter(one.embedding)
    assert all(map(torch.equal, one.parameters(), same.parameters()))
    assert not any(map(torch.equal, one.parameters(), other.parameters()))
    chosen = list(growth.with_cache(one, ids(8), 20))
    assert len(set(chosen)) > 3
    assert chosen == list(growth.without_cache(one, ids(8), 20))
    assert shapes.fill_randomly(shapes.blank_shape("small"), torch.bfloat16, seed=3).dtype == torch.bfloat16


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_on_the_bundled_weights(tmp_path: Path) -> None:
    done = run("--new-tokens", 12, "--runs", 2, "--out", tmp_path / "kept")
    told = last_line(done)
    check_figures(told, runs=2, new_tokens=12)
    assert told["same_tokens"]
    assert told["card"]["dtype"] == "float32"
    assert told == json.loads((tmp_path / "kept" / "cache.json").read_text())
    assert (tmp_path / "kept" / "cache.png").read_bytes().startswith(b"\x89PNG")
    assert "12 new tokens after a prompt of" in done.stdout
    assert re.search(r"with a cache +│ +[\d.]+ ± [\d.]+ │", done.stdout)
    assert "tokens/s" in done.stderr


def test_the_command_on_a_shape(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(shapes.SHAPES, "small", shapes.gpt2(hidden=64, layers=3, heads=4) | {"vocab_size": 500})
    common = ("--shape", "small", "--new-tokens", 10, "--runs", 1)
    told = last_line(run(*common, "--dtype", "bfloat16", "--every", 4, "--out", tmp_path / "shape.svg"))
    check_figures(told, runs=1, new_tokens=10)
    assert told["card"]["dtype"] == "bfloat16"
    assert told["prompt_tokens"] == growth.RANDOM_PROMPT
    assert told["without_cache"]["places"] == [1, 5, 9, 10]
    assert "interpolated" in (tmp_path / "shape.svg").read_text()
    assert last_line(run(*common))["without_cache"]["places"] == list(range(1, 11))


def test_a_checkpoint_without_a_tokenizer_gets_random_tokens(checkpoint: Path) -> None:
    told = last_line(run("--model", checkpoint, "--new-tokens", 3, "--runs", 1))
    assert (told["model"], told["prompt_tokens"]) == (checkpoint.name, growth.RANDOM_PROMPT)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--new-tokens", "0"], 2, "new-tokens"),
        (["--runs", "0"], 2, "runs"),
        (["--shape", "gpt9"], 1, "no shape 'gpt9'; expected one of gpt2"),
        (["--shape", "gpt2", "--model", "CHECKPOINT"], 2, "not both"),
        (["--shape", "gpt2", "--prompt", "a"], 1, "no tokenizer"),
        (["--shape", "gpt2", "--new-tokens", "1018"], 1, "needs 1025 positions"),
        (["--shape", "gpt2", "--dtype", "int8"], 2, "none of auto"),
        (["--new-tokens", "5000"], 1, "context"),
        (["--prompt", ""], 1, "empty prompt"),
        (["--prompt", "a " * 3000], 1, "context"),
        (["--every", "0"], 2, "every"),
        (["--every", "2.5"], 2, "every"),
        (["--out", "picture.jpg"], 1, "ends in .png or .svg"),
    ],
)
def test_a_users_mistake_is_told_before_anything_is_computed(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    monkeypatch.setattr(torch.nn.Module, "__call__", lambda *_: pytest.fail("something was computed"))
    done = run(*(checkpoint if argument == "CHECKPOINT" else argument for argument in arguments))
    assert words in " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())
    assert (done.exit_code, done.stdout) == (code, "")


def test_the_longest_sequence_of_gpt2_is_allowed() -> None:
    model = shapes.blank_shape("gpt2")
    growth.check(model, [0] * 25, new_tokens=1000, runs=1)
    with pytest.raises(minikv.MinikvError, match="1025 positions"):
        growth.check(model, [0] * 26, new_tokens=1000, runs=1)
    for wrong in ({"new_tokens": 0}, {"runs": 0}):
        with pytest.raises(minikv.MinikvError, match="at least one"):
            growth.check(model, [0], **{"new_tokens": 1, "runs": 1} | wrong)
    with pytest.raises(minikv.MinikvError, match="one token in 0"):
        growth.check(model, [0], new_tokens=1, runs=1, every=0)


def test_matplotlib_is_asked_for_before_the_measuring_and_only_for_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minikv.bench.draw.find_spec", lambda name: None)
    done = run("--out", "picture.png")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "pip install matplotlib" in done.stderr
    last_line(run("--new-tokens", 2, "--runs", 1))
