"""Text to token ids and back, and conversations to prompts.

A control token (`<|im_end|>`) is not text: it says where a turn ends and who speaks next. Only the checkpoint's own
template may set one. Documents, keys and all that a conversation contains are untrusted, so their text is never
searched for control tokens: a document that holds the characters `<|im_end|>` stays in its turn.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

import jinja2
import jinja2.ext
import tokenizers
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers.decoders import DecodeStream

from minikv.config import read_json
from minikv.errors import CheckpointError, MinikvError

ROLES = ("system", "user", "assistant", "tool")
END_OF_TEXT = "<|endoftext|>"
PRIVATE_USE = range(0xE000, 0xF900)  # code points that Unicode leaves without a meaning

Conversation = Sequence[Mapping[str, Any]]


class Tokenizer:
    """A checkpoint's tokenizer: plain text, control tokens and chat template kept apart."""

    def __init__(self, raw: Mapping[str, Any], settings: Mapping[str, Any], template: str | None, where: str):
        """`raw` is tokenizer.json, `settings` tokenizer_config.json, both parsed; `where` names them in errors."""
        self.where = where
        self.control = control_tokens(raw, where)
        self.plain = build(without_control(raw, where), where)
        self.settings = settings
        self.template = template

    @classmethod
    def read(cls, folder: Path) -> "Tokenizer":
        """The tokenizer of a checkpoint's folder. CheckpointError where a file is absent or not to be read."""
        settings_path, template_path = folder / "tokenizer_config.json", folder / "chat_template.jinja"
        settings = read_json(settings_path) if settings_path.exists() else {}
        try:
            template = template_path.read_text(encoding="utf-8") if template_path.exists() else None
        except (OSError, UnicodeDecodeError) as error:
            raise CheckpointError(f"{template_path} is not readable text: {error}") from None
        return cls(
            read_json(folder / "tokenizer.json"),
            settings,
            template or default_template(settings, str(settings_path)),
            str(folder / "tokenizer.json"),
        )

    # --- text ---------------------------------------------------------------------------------------------------------

    def encode(self, text: str) -> list[int]:
        """The ids of plain text. What looks like a control token in it is spelled out like any other text."""
        try:
            ids: list[int] = self.plain.encode(text, add_special_tokens=False).ids
        except TypeError:  # a lone surrogate, as Python makes of bytes that are no UTF-8
            raise MinikvError(f"text with characters that are no Unicode text: {text[:40]!r}…") from None
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; control tokens and ids without a text give nothing."""
        ids = list(ids)
        refuse_non_ids(ids)
        text: str = self.plain.decode(ids)
        return text

    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        """The same text piece by piece as the ids come, never half a character: one that is spread over several
        tokens waits until it is whole."""
        pieces, given, past = DecodeStream(), "", []
        for token in ids:
            refuse_non_ids([token])
            past.append(token)
            piece = pieces.step(self.plain, token)
            if piece:
                given += piece
                yield piece
        rest = self.decode(past)[len(given) :]  # a character that never became whole
        if rest:
            yield rest

    # --- conversations ------------------------------------------------------------------------------------------------

    def chat(self, messages: Conversation, *, add_generation_prompt: bool = True) -> list[int]:
        """The ids of a conversation in the checkpoint's own template.

        Equal to what transformers' `apply_chat_template` gives for text without control tokens; text with them gets
        ids of plain text, and cannot close a turn or open one, whichever field it stands in or is split over.
        """
        messages = list(messages)
        disguise = Disguise(self.control, [*strings(messages), self.template or ""])
        rendered = self.render(disguise.on(messages), add_generation_prompt=add_generation_prompt)
        ids: list[int] = []
        for piece in re.split(self._control_pattern, rendered):
            if piece in self.control:
                ids.append(self.control[piece])
            elif piece:
                ids.extend(self.encode(disguise.off(piece)))
        return ids

    def render(self, messages: Conversation, *, add_generation_prompt: bool = True) -> str:
        """A conversation as the text that the template makes of it. For people to read: encoded as one string, control
        tokens that stand in the messages would be real ones. Use `chat` for ids."""
        if self.template is None:
            raise CheckpointError(f"{self.where}: no chat template beside it; pass plain text instead of messages")
        for message in messages:
            role = message.get("role") if isinstance(message, Mapping) else None
            if role not in ROLES:
                raise MinikvError(f"a message has the role {role!r}; expected a mapping with one of {', '.join(ROLES)}")
        named = {
            key: token_text(self.settings.get(key)) for key in ("bos_token", "eos_token", "pad_token", "unk_token")
        }
        try:
            return compiled(self.template).render(
                messages=list(messages), add_generation_prompt=add_generation_prompt, tools=None, **named
            )
        except Exception as error:  # a template can raise whatever its expressions raise
            raise MinikvError(f"{self.where}: the chat template refuses this conversation: {error}") from None

    @property
    def _control_pattern(self) -> str:
        longest_first = sorted(self.control, key=len, reverse=True)
        return f"({'|'.join(map(re.escape, longest_first))})" if longest_first else "(?!)"

    # --- ids with a meaning -------------------------------------------------------------------------------------------

    @property
    def pad_id(self) -> int:
        """The id that padding is filled with: pad_token, or 0 where there is none. No right recipe depends on it."""
        return self.control.get(self._ends["pad_token"] or "", 0)

    @property
    def stop_ids(self) -> tuple[int, ...]:
        """The ids that end an answer: eos_token, and pad_token, which in Qwen2 is the end of a text."""
        return tuple(sorted({self.control[text] for text in self._ends.values() if text in self.control}))

    @property
    def _ends(self) -> dict[str, str | None]:
        """eos_token and pad_token. Where the settings name neither, as GPT-2's official ones, a text ends with
        `<|endoftext|>`, which is then both."""
        named = {key: token_text(self.settings.get(key)) for key in ("eos_token", "pad_token")}
        return named if any(named.values()) else dict.fromkeys(named, END_OF_TEXT)


class Disguise:
    """Untrusted strings with the first and the last character of every control token replaced by private ones.

    Disguised text can hold no control token, begin none and complete none, even after the template has joined it with
    other text, and every string keeps its length. `off` undoes it once the template's own control tokens are found.
    (A template that wrote both ends of a control token itself, around a value, would make one; Qwen's does not.)
    """

    def __init__(self, control: Iterable[str], contents: Iterable[str]):
        used = {ord(character) for content in contents for character in content}
        free = (code for code in PRIVATE_USE if code not in used)
        ends = sorted({character for text in control for character in (text[0], text[-1])})
        self.masks = dict(zip(map(ord, ends), free, strict=False))
        if len(self.masks) < len(ends):
            raise MinikvError("the conversation uses every private-use character of Unicode; remove some")

    def on(self, value: Any) -> Any:
        """The same messages, every string in them disguised, role names apart."""
        if isinstance(value, str):
            return value.translate(self.masks) if value not in ROLES else value
        if isinstance(value, Mapping):
            return {self.on(key): self.on(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.on(item) for item in value]
        return value

    def off(self, text: str) -> str:
        return text.translate({mask: end for end, mask in self.masks.items()})


def strings(value: Any) -> Iterator[str]:
    """Every string in nested messages."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def until(pieces: Iterable[str], stop_texts: Sequence[str]) -> Iterator[str]:
    """Streamed text up to the first stop text, which is not given. Matched in the text, not in the ids: `"}` stops
    whether it comes as one token or as two. What may be the beginning of a stop text waits until that is clear."""
    stops = [stop for stop in stop_texts if stop]
    held = ""
    for piece in pieces:
        held += piece
        found = earliest(held, stops)
        clear = len(held) - max((overlap(held, stop) for stop in stops), default=0)
        if found < len(held) and found <= clear:  # no other stop text can still turn out to begin before it
            held = held[:found]
            break
        if clear:
            yield held[:clear]
            held = held[clear:]
    if held[: earliest(held, stops)]:
        yield held[: earliest(held, stops)]


def earliest(text: str, stops: Sequence[str]) -> int:
    """Where the first stop text begins; the end of the text where there is none."""
    return min((text.index(stop) for stop in stops if stop in text), default=len(text))


def overlap(text: str, stop: str) -> int:
    """Length of the longest end of `text` that a stop text begins with."""
    return next(size for size in range(min(len(text), len(stop) - 1), -1, -1) if text.endswith(stop[:size]))


def split_shared(prompts: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """The longest token prefix that all prompts share, and what each adds to it (at least one token).

    Taken from the ids of the whole prompts. A prefix and a suffix that are encoded apart differ from the whole wherever
    a token reaches over the border; a prefix found this way is a prefix of every prompt by construction.
    """
    if not prompts:
        return [], []
    shortest = min(map(len, prompts))
    if shortest == 0:
        raise MinikvError("a prompt without a token; expected at least one")
    first, shared = prompts[0], 0
    while shared < shortest - 1 and all(prompt[shared] == first[shared] for prompt in prompts):
        shared += 1
    return list(first[:shared]), [list(prompt[shared:]) for prompt in prompts]


def refuse_non_ids(ids: Sequence[int]) -> None:
    """MinikvError for a number that no vocabulary can hold."""
    outside = [token for token in ids if not 0 <= token < 2**32]
    if outside:
        raise MinikvError(f"{outside[0]} is no token id; expected a number from 0 to the vocabulary's end")


def control_tokens(raw: Mapping[str, Any], where: str) -> dict[str, int]:
    """Text to id of each control token: the added tokens of tokenizer.json, special or not."""
    tokens = raw.get("added_tokens", [])
    sound = isinstance(tokens, list) and all(
        isinstance(token, dict)
        and isinstance(token.get("content"), str)
        and token["content"]
        and type(token.get("id")) is int
        for token in tokens
    )
    if not sound:
        raise CheckpointError(f"{where}: added_tokens is no list of objects with a text as content and a number as id")
    return {token["content"]: token["id"] for token in tokens}


def without_control(raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    """tokenizer.json without a single control token: whatever the text, what is built from it cannot give one. Some
    files list them twice, as added tokens and as words of the model. Nor does it cut or pad as it was saved to do."""
    model = raw.get("model")
    # GPT-2's official file is older than the key `type`; of the kinds there are, only BPE has merges.
    if (
        not isinstance(model, dict)
        or model.get("type", "BPE" if "merges" in model else None) != "BPE"
        or not isinstance(model.get("vocab"), dict)
    ):
        raise CheckpointError(f"{where}: expected a model of type BPE with its words as an object vocab")
    added = control_tokens(raw, where)
    words = {word: token for word, token in model["vocab"].items() if word not in added}
    bare: dict[str, Any] = {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
    return {**raw, "model": {**model, "vocab": words}, **bare}


def build(raw: Mapping[str, Any], where: str) -> tokenizers.Tokenizer:
    try:
        return tokenizers.Tokenizer.from_str(json.dumps(raw))
    except Exception as error:  # the library raises a bare Exception
        raise CheckpointError(f"{where} is no tokenizer that the tokenizers library can read: {error}") from None


def default_template(settings: Mapping[str, Any], where: str) -> str | None:
    """The chat template in tokenizer_config.json: a string, or a list of named ones with a "default"."""
    found = settings.get("chat_template")
    if isinstance(found, list):
        found = {item.get("name"): item.get("template") for item in found if isinstance(item, dict)}.get("default")
    if found is not None and not isinstance(found, str):
        raise CheckpointError(f"{where}: chat_template is a {type(found).__name__}; expected the text of a template")
    return found


def token_text(setting: Any) -> str | None:
    """A token as tokenizer_config.json names it: its text, or an object with its text as `content`."""
    text = setting.get("content") if isinstance(setting, Mapping) else setting
    return text if isinstance(text, str) else None


def raise_exception(message: str) -> NoReturn:
    """What templates call to refuse a conversation."""
    raise jinja2.TemplateError(message)


def to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


# A template is a program from somebody else: it runs where it can read its arguments and nothing more.
TEMPLATES = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
TEMPLATES.filters["tojson"] = to_json
TEMPLATES.globals["raise_exception"] = raise_exception


@lru_cache(maxsize=16)
def compiled(template: str) -> jinja2.Template:
    """A template made ready to run, once: that takes ten times as long as running it."""
    return TEMPLATES.from_string(template)
