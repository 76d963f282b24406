"""A tokenizer in Qwen's manner, small enough to train on the spot: byte-level BPE, NFC, Qwen's own pre-tokenisation,
control tokens numbered after the words, ChatML."""

import json
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
NOT_SPECIAL = ("<tool_call>", "</tool_call>")  # control tokens all the same: the template gives them a meaning
CONTROL = SPECIAL + NOT_SPECIAL

DEFAULT_SYSTEM = "You are a test fixture. You answer briefly."

QWEN_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# What the words are learnt from. The scripts beyond ASCII leave tokens of one byte, of part of a character and of
# several characters, so that a character can lie in one token or be spread over many.
SENTENCES = (
    "The invoice of the harbour office was paid in full; the invoice number and the date stand at the top.",
    "You extract values from a text. Answer with the value of the requested key alone, as short as possible.",
    "### Text:\nInvoice number: 4711\nDate: 3 March 2021\nTotal: 99.50\n\n### Requested key:\nInvoice number",
    "The ferry leaves the harbour at nine and comes back at five, unless the weather keeps it where it is.",
    "She said that it isn't theirs, that they're late and that we'll see; he'd answered that he's sorry.",
    'def total(values):\n    return sum(value for value in values if value is not None)\n\n{"name": "total"}',
    "Déjà vu à la crème brûlée; Grüße aus Köln; señor, mañana; é è ê ë.",
    "東京の天気は晴れです。東京の天気は雨です。日本語の文章。",
    "Привет, как дела? Привет, мир. 👩‍👩‍👧 👍🏽 🙂 🙂 🎉",
)

# The structure of Qwen2.5's: a system turn by default, calls within the assistant's turn, a run of tool results as one
# turn of the user.
TEMPLATE = (
    """\
{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\n"""
    + DEFAULT_SYSTEM
    + """<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' and message.tool_calls %}
        {{- '<|im_start|>assistant' }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for call in message.tool_calls %}
            {%- set call = call.function if call.function is defined else call %}
            {{- '\\n<tool_call>\\n{"name": "' + call.name + '", "arguments": ' }}
            {{- call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- elif message.role != 'system' or not loop.first %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
)


def write_tokenizer(folder: Path, vocab: int = 480) -> int:
    """Write tokenizer.json and tokenizer_config.json of `vocab` ids, control tokens included, into a folder that
    exists; returns that number, which is the least vocabulary that a model beside it needs. ValueError where the
    sentences cannot give as many (from 261, the bytes alone, to about 600)."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(QWEN_WORDS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab - len(CONTROL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.add_special_tokens([tokenizers.AddedToken(text, normalized=False, special=True) for text in SPECIAL])
    tokenizer.add_tokens([tokenizers.AddedToken(text, normalized=False) for text in NOT_SPECIAL])
    if tokenizer.get_vocab_size() != vocab:
        raise ValueError(f"a vocabulary of {vocab} was asked for; the sentences give {tokenizer.get_vocab_size()}")
    settings = {
        "tokenizer_class": "Qwen2Tokenizer",
        "bos_token": None,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": None,
        "chat_template": TEMPLATE,
    }
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
    return vocab
