"""Text to token ids and back, and conversations to prompts.

A control token (`<|im_end|>`) is not text: it says where a turn ends and who speaks next. Only the checkpoint's own
template may set one. Documents, keys and all that a conversation contains are untrusted, so their text is never
searched for control tokens: a document that holds the characters `<|im_end|>` stays in its turn.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
PRIVATE_USE = range(0xE000, 0xF900)  # code points that Unicode leaves without a meaning

Conversation = Sequence[Mapping[str, Any]]


class Tokenizer:
    """A checkpoint's tokenizer: plain text, control tokens and chat template kept apart."""

    def __init__(self, raw: Mapping[str, Any], settings: Mapping[str, Any], template: str | None, where: str):
        """`raw` is tokenizer.json, `settings` tokenizer_config.json, both parsed; `where` names them in errors."""
        self.where = where
        self.control = {token["content"]: int(token["id"]) for token in raw.get("added_tokens", [])}
        self.plain = build(without_control(raw), where)
        self.settings = settings
        self.template = template

    @classmethod
    def read(cls, folder: Path) -> "Tokenizer":
        """The tokenizer of a checkpoint's folder. CheckpointError where a file is absent or not to be read."""
        settings_path, template_path = folder / "tokenizer_config.json", folder / "chat_template.jinja"
        settings = read_json(settings_path) if settings_path.exists() else {}
        template = template_path.read_text(encoding="utf-8") if template_path.exists() else None
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
        text: str = self.plain.decode(list(ids))
        return text

    def stream(self, ids: Iterable[int]) -> Iterator[str]:
        """The same text piece by piece as the ids come, never half a character: one that is spread over several
        tokens waits until it is whole."""
        pieces, given, past = DecodeStream(), "", []
        for token in ids:
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
        contents = list(strings(messages))
        disguise = Disguise(self.control, contents)
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
            if message.get("role") not in ROLES:
                raise MinikvError(f"a message has the role {message.get('role')!r}; expected one of {', '.join(ROLES)}")
        named = {
            key: token_text(self.settings.get(key)) for key in ("bos_token", "eos_token", "pad_token", "unk_token")
        }
        try:
            return TEMPLATES.from_string(self.template).render(
                messages=list(messages), add_generation_prompt=add_generation_prompt, tools=None, **named
            )
        except (jinja2.TemplateError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise MinikvError(f"{self.where}: the chat template refuses this conversation: {error}") from None

    @property
    def _control_pattern(self) -> str:
        longest_first = sorted(self.control, key=len, reverse=True)
        return f"({'|'.join(map(re.escape, longest_first))})" if longest_first else "(?!)"

    # --- ids with a meaning -------------------------------------------------------------------------------------------

    @property
    def pad_id(self) -> int:
        """The id that padding is filled with: pad_token, or 0 where there is none. No right recipe depends on it."""
        return self.control.get(token_text(self.settings.get("pad_token")) or "", 0)

    @property
    def stop_ids(self) -> tuple[int, ...]:
        """The ids that end an answer: eos_token, and pad_token, which in Qwen2 is the end of a text."""
        texts = (token_text(self.settings.get(key)) for key in ("eos_token", "pad_token"))
        return tuple(sorted({self.control[text] for text in texts if text in self.control}))


class Disguise:
    """Untrusted strings with the first character of every control token replaced by a private one.

    Disguised text can hold no control token, begin none and complete none, even after the template has joined it with
    other text, and every string keeps its length. `off` undoes it once the template's own control tokens are found.
    """

    def __init__(self, control: Iterable[str], contents: Iterable[str]):
        used = {ord(character) for content in contents for character in content}
        free = (code for code in PRIVATE_USE if code not in used)
        firsts = sorted({text[0] for text in control if text})
        self.masks = dict(zip(map(ord, firsts), free, strict=False))
        if len(self.masks) < len(firsts):
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
        return text.translate({mask: first for first, mask in self.masks.items()})


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
        ends = [held.index(stop) for stop in stops if stop in held]
        if ends:
            if min(ends):
                yield held[: min(ends)]
            return
        safe = len(held) - max((overlap(held, stop) for stop in stops), default=0)
        if safe:
            yield held[:safe]
            held = held[safe:]
    if held:
        yield held


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


def without_control(raw: Mapping[str, Any]) -> dict[str, Any]:
    """tokenizer.json without a single control token: whatever the text, what is built from it cannot give one. Some
    files list them twice, as added tokens and as words of the model."""
    added = {token["content"] for token in raw.get("added_tokens", [])}
    model = dict(raw.get("model", {}))
    model["vocab"] = {word: token for word, token in model.get("vocab", {}).items() if word not in added}
    return {**raw, "model": model, "added_tokens": [], "post_processor": None}


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
