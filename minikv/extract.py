"""The job: one document and many keys to a value for each key, on one cached prefix."""

from collections.abc import Sequence

from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.recipes import RECIPES, Recipe
from minikv.speed.draft import DRAFTED
from minikv.tokenizer import Tokenizer, split_shared

INSTRUCTION = (
    "You extract values from a text. Answer with the value of the requested key alone, as short as possible, "
    "in the words of the text."
)


def extract(
    model: Decoder,
    tokenizer: Tokenizer | None,
    document: str,
    keys: Sequence[str],
    recipe: str = "per_row_offsets",
    *,
    max_new_tokens: int = 64,
) -> dict[str, str]:
    """The value of each key as the model reads it out of the document, greedy, keys in the order given.

    recipe           a name in minikv.RECIPES, or "per_row_drafts"; the right ones give the same values, and differ in
                     time and memory
    max_new_tokens   tokens of a value at most; a longer one is cut there

    Document and keys are untrusted: no text in them becomes a control token. MinikvError for an unknown recipe, an
    empty document, an empty or a repeated key, or a document beyond the model's context.
    """
    if tokenizer is None:
        raise MinikvError("no tokenizer; the checkpoint's folder holds no tokenizer.json, but extraction is about text")
    chosen = find_recipe(recipe)
    prefix, suffixes = split_shared(prompts(tokenizer, document, keys))
    answers = chosen(
        model,
        prefix,
        suffixes,
        max_new_tokens=max_new_tokens,
        stop_ids=tokenizer.stop_ids,
        pad_id=tokenizer.pad_id,
    )
    return {key: tokenizer.decode(ids).strip() for key, ids in zip(keys, answers, strict=True)}


def prompts(tokenizer: Tokenizer, document: str, keys: Sequence[str]) -> list[list[int]]:
    """The ids of one prompt for each key, in the checkpoint's chat form. The key stands last: what comes before it is
    shared by all, and is computed once."""
    if not isinstance(document, str) or isinstance(keys, str):
        raise MinikvError("expected the document as one text and the keys as a list of texts")
    if not document.strip():
        raise MinikvError("the document is empty; expected some text to extract from")
    stripped = [key.strip() for key in keys]
    if not all(stripped):
        raise MinikvError(f"key {stripped.index('') + 1} is empty; expected the name of a value to look for")
    repeated = sorted({key for key in stripped if stripped.count(key) > 1})
    if repeated:
        raise MinikvError(f"the key {repeated[0]!r} is given more than once; expected each key once")
    return [
        tokenizer.chat(
            [
                {"role": "system", "content": INSTRUCTION},
                {"role": "user", "content": f"### Text:\n{document.strip()}\n\n### Requested key:\n{key}"},
            ]
        )
        for key in stripped
    ]


def find_recipe(name: str) -> Recipe:
    known = {**RECIPES, DRAFTED.name: DRAFTED}
    if name not in known:
        raise MinikvError(f"no recipe {name!r}; expected one of {', '.join(known)}")
    return known[name]
