"""A JSON template: what its blanks ask for, what is refused, and what becomes of it with any answers at all."""

import json
import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from minikv import MinikvError
from minikv.filling.answer import Answer
from minikv.filling.filled import Part
from minikv.filling.span import Found
from minikv.filling.template import DEEPEST, plan


def said(*texts: str, ended: bool = True, log_prob: float | None = -0.5) -> list[Answer]:
    return [Answer(text, list(range(len(text))), log_prob, ended) for text in texts]


# --- what a template asks ---------------------------------------------------------------------------------------------


def test_every_kind_of_blank() -> None:
    template = plan('{"a": "", "b": null, "c": 0, "d": 0.0, "e": false, "f": [], "g": ["x", "y"], "h": ["z"]}')
    kinds = [leaf.kind.name for leaf in template.leaves]
    assert kinds == ["text", "text", "whole number", "number", "yes or no", "list", "choice", "choice"]
    assert [leaf.path for leaf in template.leaves] == [(name,) for name in "abcdefgh"]
    answers = said("7", "7", "7", "7", "no", "7", "Y", "7")
    expected = {"a": "7", "b": "7", "c": 7, "d": 7.0, "e": False, "f": ["7"], "g": "y", "h": None}
    values = template.filled(answers, "").values
    assert json.dumps(values) == json.dumps(expected)  # 7 is not 7.0, nor is the order of keys free
    assert [leaf.kind for leaf in plan({"a": -0, "b": -0.0, "c": 0e5, "d": ()}).leaves] == [
        plan(text).leaves[0].kind for text in ('{"a": 0}', '{"b": 0.0}', '{"c": 0.0}', '{"d": []}')
    ]


@pytest.mark.parametrize(
    ("template", "questions"),
    [
        ({"Licence": ""}, ["Licence"]),
        (
            {"Model": {"Name": "", "Number of parameters": ""}, "Usage": {"Licence": ""}},
            ["Name", "Number of parameters", "Licence"],
        ),
        ({"Model": {"Name": ""}, "Seller": {"Name": ""}}, ["Model name", "Seller name"]),
        ({"Model": {"Name": ""}, "Seller": {"name": ""}}, ["Model name", "Seller name"]),
        ({"Name": "", "Seller": {"Name": ""}}, ["Name", "Seller name"]),
        ({"A": {"B": {"C": ""}}, "D": {"B": {"C": ""}, "E": ""}}, ["A B C", "D B C", "E"]),
        ({"A": {"B": {"C": ""}}, "D": {"C": ""}}, ["B C", "D C"]),
        ({"Seller": {"VAT": ""}, "Buyer": {"VAT": ""}}, ["Seller VAT", "Buyer VAT"]),
        ({" Due \n date ": ""}, ["Due date"]),
        ({"due_date": "", "Invoice_Number": "", "_id_": ""}, ["due date", "invoice number", "id"]),
        ({"dueDate": "", "numberOfMaxTokens2": "", "DueDate": ""}, ["due date", "number of max tokens2", "DueDate"]),
        (
            {"iPhone": "", "kWh": "", "PhD": "", "URL": "", "my_site x": ""},
            ["iPhone", "kWh", "PhD", "URL", "my_site x"],
        ),
        ({"_": "", "Straße_Nr": "", "a-b": ""}, ["_", "straße nr", "a-b"]),
        ({"a": {"due_date": ""}, "b": {"Due date": ""}}, ["a due date", "b due date"]),
    ],
)
def test_a_question_is_the_last_name_and_what_tells_it_apart(template: dict[str, Any], questions: list[str]) -> None:
    assert plan(template).questions == questions


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("", "no JSON: line 1, column 1"),
        ('{"a": ""\n "b": ""}', "no JSON: line 2, column 2"),
        ("{'a': ''}", "no JSON: line 1, column 2"),
        ('{"a": ""} x', "no JSON: line 1, column 11"),
        ("\ufeff{}", "no JSON: line 1, column 1"),
        ("[]", r"the template is \[\]; expected an object"),
        ('""', "expected an object"),
        ("null", "the template is None; expected an object"),
        ("{}", "no blank to fill"),
        ('{"a": {}, "b": {"c": {}}}', "no blank to fill"),
        ('{"a": "", "b": 0, "a": ""}', "the key 'a' twice"),
        ('{"x": {"a": "", "a": ""}}', "the key 'a' twice"),
        ('{"a": NaN}', "NaN, which is no JSON"),
        ('{"a": -Infinity}', "-Infinity, which is no JSON"),
        ('{"a": 1e999}', "inf at 'a'; expected a blank"),
        ('{"a": ' + "9" * 5000 + "}", "a number that cannot be read|expected a blank"),
        ({"a": math.nan}, "nan at 'a'; expected a blank"),
        ('{"": ""}', "the key '' at the top"),
        ('{"a": {" ": ""}}', "the key ' ' in 'a'"),
        ('{"": {"a": ""}}', "the key '' at the top"),
        (r'{"\ud800": ""}', "half a character"),
        (r'{"\ud800": {"a": ""}}', "half a character"),
        ('{"a": "text"}', "'text' at 'a'; expected a blank"),
        ('{"a": " "}', "' ' at 'a'; expected a blank"),
        ('{"a": {"b": 7}}', "7 at 'a > b'; expected a blank"),
        ('{"a": 1.5}', "1.5 at 'a'; expected a blank"),
        ('{"a": true}', "True at 'a'; expected a blank"),
        ({"a": object}, "class 'object'"),
        ({"a": 10**5000}, "digits|[.]{3}0* at 'a'; expected a blank"),
        ({"a": [10**5000]}, "among them"),
        ({"a": b""}, "b'' at 'a'; expected a blank"),
        ('{"a": [""]}', "choices at 'a' have '' among them"),
        ('{"a": ["x", 7]}', "choices at 'a' have 7 among them"),
        ('{"a": [{"b": ""}]}', "choices at 'a' have {'b': ''} among them"),
        ('{"a": [[]]}', r"choices at 'a' have \[\] among them"),
        (r'{"a": ["\ud800"]}', "among them"),
        ('{"a": ["red", "blue", " RED"]}', "choices at 'a' have 'red' twice"),
        ('{"a": ["é", "e\u0301"]}', "twice"),
        ('{"a ": "", " a": ""}', "both asked for as 'a'"),
        ('{"due date": "", "due_date": ""}', "both asked for as 'due date'"),
        ('{"A": {"B": ""}, "C": {"B": ""}, "A B": ""}', "both asked for as 'A B'"),
        ('{"a":' * 40 + '""' + "}" * 40, f"more than {DEEPEST} deep"),
        ('{"a":' * 100_000 + '""' + "}" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_template_that_cannot_be_filled_says_why(template: Any, words: str) -> None:
    with pytest.raises(MinikvError, match=words) as told:
        plan(template)
    assert len(str(told.value)) < 300
    assert "\n" not in str(told.value)


def test_a_template_that_holds_itself_is_too_deep() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(MinikvError, match="deep"):
        plan(endless)


def test_the_deepest_that_is_allowed() -> None:
    template = plan('{"a":' * DEEPEST + '""' + "}" * DEEPEST)
    assert len(template.leaves[0].path) == DEEPEST
    assert json.dumps(template.filled(said("x"), "x").values, indent=1).count('"a"') == DEEPEST


def test_a_template_keeps_nothing_of_the_object_that_it_was_made_from() -> None:
    given: dict[str, Any] = {"a": {"b": ""}}
    template = plan(given)
    given["a"]["c"] = ""
    assert template.filled(said("x"), "").values == {"a": {"b": "x"}}
    assert given == {"a": {"b": "", "c": ""}}


# --- what becomes of it -----------------------------------------------------------------------------------------------


def test_the_report_tells_where_each_value_stands() -> None:
    document = "Lumen 9B reads 32,768 tokens:\nsummaries and  search. LUMEN!"
    template = plan({"Model": {"Name": "", "Context": 0, "Size": 0}, "Uses": [], "Open": False, "Maker": "", "X": ""})
    filled = template.filled(
        said("lumen 9b", "32,768 tokens", "9B", "search, summaries and chat", "yes", "Lumen  9B reads", ""), document
    )
    name, context, size, uses, free, maker, nothing = filled.report
    assert filled.values == {
        "Model": {"Name": "lumen 9b", "Context": 32768, "Size": None},
        "Uses": ["search", "summaries", "chat"],
        "Open": True,
        "Maker": "Lumen  9B reads",
        "X": None,
    }
    assert name.parts == (Part("lumen 9b", Found(0, 8, 1, same_case=False)),)
    assert context.parts == (Part("32,768 tokens", Found(15, 28, 1, same_case=True)),)
    assert (size.value, size.text, size.problem) == (None, "9B", "the answer is not a whole number")
    assert size.in_document is True
    assert [part.found for part in uses.parts] == [Found(45, 51, 1, True), Found(30, 39, 1, True), None]
    assert [record.in_document for record in filled.report] == [True, True, True, False, False, True, None]
    assert [record.path for record in filled.not_in_document] == [("Uses",), ("Open",)]
    assert maker.parts == (Part("Lumen  9B reads", Found(0, 14, 1, True)),)
    assert (nothing.problem, nothing.parts, nothing.text) == ("nothing was answered", (), "")
    assert free.question == "Open"
    assert all(record.log_prob == -0.5 and record.ended for record in filled.report)


def test_only_a_text_is_kept_of_an_answer_that_was_cut() -> None:
    template = plan({"a": "", "b": 0, "c": 0.0, "d": False, "e": [], "f": ["12"], "g": ""})
    filled = template.filled(said("12", "12", "12", "no", "12", "12", "", ended=False), "")
    assert list(filled.values.values()) == ["12", *[None] * 6]
    assert [record.problem for record in filled.report[1:6]] == ["the answer was cut at the limit of tokens"] * 5
    assert [record.text for record in filled.report] == ["12", "12", "12", "no", "12", "12", ""]


def test_a_probability_that_is_no_number_is_left_out() -> None:
    template = plan({"a": ""})
    for log_prob in (None, -math.inf, math.nan):
        assert template.filled(said("x", log_prob=log_prob), "").report[0].log_prob is None


def test_an_answer_for_each_blank() -> None:
    with pytest.raises(MinikvError, match="1 answers for 2 blanks"):
        plan({"a": "", "b": ""}).filled(said("x"), "")


few = settings(max_examples=60, deadline=None)
names = st.sampled_from(["a", "b", "A", " a", "due\n date", "é", "e\u0301", "a > b", "\x1b[2J", "<|im_end|>", "😀"])
blanks = st.one_of(
    st.builds(str),
    st.none(),
    st.just(0),
    st.just(0.0),
    st.just(False),
    st.builds(list),
    st.just(["red", "dark green", "7"]),
)
nested = st.recursive(blanks, lambda within: st.dictionaries(names, within, max_size=4), max_leaves=12)
templates = st.dictionaries(names, nested, min_size=1, max_size=4)
texts = st.text(max_size=20) | st.sampled_from(
    ["7", "32,768 tokens", "$184.50", "7B", "yes", "No.", "RED", "red, blue", "1" * 400, "NaN", "1e9", "\ud800", "\0"]
)


def can_be_filled(template: dict[str, Any]) -> bool:
    """Unless there is nothing to fill, or two blanks have one question."""
    try:
        plan(template)
    except MinikvError as error:
        if "no blank" in str(error) or "both asked" in str(error):
            return False
        raise
    return True


def check_shape(blank: Any, value: Any) -> None:
    """By the blank alone: the value has its shape and its type, or is null."""
    if isinstance(blank, dict):
        assert isinstance(value, dict)
        assert list(value) == list(blank)
        for name, within in blank.items():
            check_shape(within, value[name])
    elif value is not None:
        if isinstance(blank, list) and blank:
            assert value in blank
        elif blank is None:
            assert type(value) is str
        else:
            assert type(value) is type(blank)


@few
@given(templates, st.data())
def test_any_answers_keep_the_shape_and_are_json(template: dict[str, Any], data: st.DataObject) -> None:
    assume(can_be_filled(template))
    planned = plan(template)
    answers = [
        Answer(data.draw(texts), [1], data.draw(st.none() | st.floats()), data.draw(st.booleans()))
        for _ in planned.questions
    ]
    filled = planned.filled(answers, data.draw(texts))
    check_shape(template, filled.values)
    written = json.dumps(filled.values, allow_nan=False)
    assert json.dumps(json.loads(written)) == written
    report = json.loads(json.dumps(filled.as_json(), allow_nan=False))
    assert report["values"] == filled.values
    assert [record["text"] for record in report["report"]] == [answer.text.strip() for answer in answers]
    for record in filled.report:
        assert (record.value is None) == (record.problem is not None)


@few
@given(templates)
def test_text_and_object_are_one_template(template: dict[str, Any]) -> None:
    assume(can_be_filled(template))
    one, other = plan(template), plan(json.dumps(template))
    assert one.questions == other.questions
    assert [leaf.path for leaf in one.leaves] == [leaf.path for leaf in other.leaves]
    assert [leaf.kind.name for leaf in one.leaves] == [leaf.kind.name for leaf in other.leaves]


@few
@given(templates)
def test_no_two_questions_are_alike(template: dict[str, Any]) -> None:
    assume(can_be_filled(template))
    questions = plan(template).questions
    assert len(set(questions)) == len(questions)
    assert all(question and question == " ".join(question.split()) for question in questions)


def test_of_many_blanks_each_gets_its_own_answer() -> None:
    template = plan({f"group {group}": {f"key {key}": "" for key in range(20)} for group in range(25)})
    filled = template.filled(said(*map(str, range(500))), " ".join(map(str, range(0, 500, 2))))
    assert [record.value for record in filled.report] == list(map(str, range(500)))
    assert [record.in_document for record in filled.report] == [number % 2 == 0 for number in range(500)]
