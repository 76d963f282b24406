"""A template and a document to a filled template: each blank a question, all of them asked on one cached prefix."""

from collections.abc import Mapping
from typing import Any

from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.filling.answer import Asked, answer_in_parts
from minikv.filling.filled import Filled
from minikv.filling.template import plan
from minikv.generate import check_ids
from minikv.tokenizer import Tokenizer

MEMORY = 1 << 30  # bytes of keys and values that a batch may take, if that leaves a row


def fill(
    model: Decoder,
    tokenizer: Tokenizer | None,
    document: str,
    template: str | Mapping[str, Any],
    *,
    max_new_tokens: int = 64,
) -> dict[str, Any]:
    """The template with the values that the model reads out of the document in place of its blanks; greedy.

    template         JSON text, or the object that it is. "" or null wants a text, 0 a whole number, 0.0 a number, false
                     yes or no, [] a list of texts, a list of texts one of them
    max_new_tokens   tokens of an answer at most

    The result has the template's shape and is JSON. A value is null where the answer does not fit the blank; what the
    model said instead, and which values do not stand in the document, tells `fill_report`. Document and template are
    untrusted: no text in them becomes a control token. MinikvError, before anything is computed, for a template that
    cannot be filled (see `template.plan`), an empty document, or one beyond the model's context.
    """
    return fill_report(model, tokenizer, document, template, max_new_tokens=max_new_tokens).values


def fill_report(
    model: Decoder,
    tokenizer: Tokenizer | None,
    document: str,
    template: str | Mapping[str, Any],
    *,
    max_new_tokens: int = 64,
) -> Filled:
    """The same, with a record of each value: where it stands in the document, and how sure the model was of it."""
    planned = plan(template)
    if tokenizer is None:
        raise MinikvError("no tokenizer; the checkpoint's folder holds no tokenizer.json, but a template is about text")
    asked = Asked.of(tokenizer, document, planned.questions)
    check_ids(model, asked.suffixes, [len(asked.prefix)] * len(asked.suffixes), max_new_tokens)
    return planned.filled(answer_in_parts(model, tokenizer, asked, max_new_tokens, MEMORY), document)
