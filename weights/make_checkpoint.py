"""Train the bundled checkpoint, from nothing to a folder in the official Qwen2 layout.

    python weights/make_checkpoint.py OUT                    # the whole run; killed and started again, it goes on
    python weights/make_checkpoint.py OUT --stop-after 150   # its first steps only, exactly as the whole run takes them

The task: read a document, copy out the value of a key. Trained on this alone a small decoder does not learn to copy for
a long time, since the few tokens of the answers tell it nothing until it knows where to look. So it starts with the two
habits that copying is made of (`look_back`, `look_up`), and learns to copy first: random symbols in which a stretch
comes a second time, short ones, then longer. Then come documents of a few sentences, then whole ones.

All keys of a document are trained in one sequence: the document once, then for each key a branch that holds the key and
its answer. Every branch counts its positions on from the document's end and sees the document and itself. That is what
the answers are later computed from, one cached prefix and many suffixes, and it takes a sixth of the time.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import matplotlib
import tokenizers
import torch
import torch.nn.functional as F
from documents import Document, Size, write
from jaxtyping import Bool, Float, Int
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from safetensors.torch import save_file
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers
from torch import Tensor

from minikv.attention import Attend
from minikv.cache import Placement
from minikv.config import Config
from minikv.extract import INSTRUCTION, prompts
from minikv.qwen2 import Qwen2
from minikv.rope import rope_angles
from minikv.speed.fast_attention import additive, stack, unstack
from minikv.tokenizer import Tokenizer

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SEED = 20
STEPS = 18200  # of the whole run
RATES = (
    (-1, 0.0),
    (49, 1.0),
    (2000, 1.0),
    (4700, 0.310789),
    (6200, 0.02),
    (6300, 0.5),
    (11600, 0.02),
    (11700, 0.4),
    (17700, 0.0795),
    (STEPS, 0.01),
)  # the learning rate's factor at these steps
BATCH_TOKENS = 3072
SAVE_EVERY = 100
MATRIX_RATE = 5e-3  # Muon's, in the scale of AdamW
OTHER_RATE = 3e-3  # AdamW's, for embedding, norms and biases

EMBEDDING_STD, ATTENTION_SCALE, MLP_SCALE = 0.1, 0.2, 0.05
LOOK_BACK, LOOK_BACK_STRENGTH = (1, 2, 1, 3), 4.5  # tokens, by head; so strong, nine tenths of the attention go there
LOOK_UP_STRENGTH = 5.0

VOCAB, CONTROL = 1024, ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
SYMBOLS = VOCAB - len(CONTROL)  # tokens of text; the control tokens come after them
# Qwen's own: words with the space or sign before them, single digits, runs of signs, line ends, spaces.
PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEMPLATE = (
    "{%- if not messages or messages[0]['role'] != 'system' %}"
    "{{- '<|im_start|>system\nYou answer with values from a text.<|im_end|>\n' }}"
    "{%- endif %}"
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"
)

CONFIG = {
    "architectures": ["Qwen2ForCausalLM"],
    "attention_dropout": 0.0,
    "bos_token_id": VOCAB - 3,
    "eos_token_id": VOCAB - 1,
    "hidden_act": "silu",
    "hidden_size": 128,
    "initializer_range": 0.02,
    "intermediate_size": 384,
    "max_position_embeddings": 2048,
    "max_window_layers": 5,
    "model_type": "qwen2",
    "num_attention_heads": 4,
    "num_hidden_layers": 5,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-06,
    "rope_theta": 1000000.0,
    "sliding_window": 2048,
    "tie_word_embeddings": True,
    "torch_dtype": "float32",
    "use_cache": True,
    "use_sliding_window": False,
    "vocab_size": VOCAB,
}
GENERATION = {
    "bos_token_id": VOCAB - 3,
    "do_sample": False,
    "eos_token_id": [VOCAB - 1, VOCAB - 3],
    "pad_token_id": VOCAB - 3,
}


# --- the curriculum ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """What is trained from step `start` on. Sizes are ranges, drawn anew for each batch, so that its rows are of like
    length and little of it is padding."""

    start: int
    copying: float  # share of the batches that are copying
    length: tuple[int, int]  # tokens of a copying row
    fields: tuple[int, int] = (0, 0)  # sentences of a document that hold a value
    distractors: tuple[int, int] = (0, 0)  # and that hold none
    tables: float = 0.25  # share of the documents that are lists
    notes: int = 1  # how often a document is notes, where each other kind comes once
    plain: bool = True  # whether only the plain patterns are used
    variation: float = 0.0  # share of the sentence patterns that are varied
    run_on: float = 0.0  # share of the sentences that run on into the next
    width: int = 1  # a batch is as wide as a multiple of this: a product of a shape not met before is compiled first


LONG = Stage(start=1600, copying=0.05, length=(64, 400), fields=(2, 8), distractors=(0, 6))
VARIED = replace(LONG, start=6200, tables=0.18, notes=2, plain=False, variation=0.25, run_on=0.2)
STAGES = (
    Stage(start=0, copying=1.0, length=(24, 64)),
    Stage(start=150, copying=1.0, length=(32, 160)),
    Stage(start=280, copying=0.2, length=(48, 200), fields=(1, 3), distractors=(0, 1)),
    Stage(start=700, copying=0.1, length=(64, 256), fields=(2, 6), distractors=(0, 3)),
    LONG,
    replace(LONG, start=1800, variation=0.5),
    replace(LONG, start=3500, variation=0.5, run_on=0.3),
    VARIED,
    replace(VARIED, start=11600, width=64),
    replace(VARIED, start=11900, width=64, copying=0.02, tables=0.08),
)


def stage_at(step: int) -> Stage:
    return next(stage for stage in reversed(STAGES) if stage.start <= step)


def rate_at(step: int) -> float:
    """The learning rate's factor: straight lines between the points of RATES."""
    (before, low), (after, high) = next(pair for pair in pairwise(RATES) if step < pair[1][0])
    return low + (high - low) * (step - before) / (after - before)


# --- batches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One row before padding. branch 0 is the document, which all see; branch n sees the document and itself."""

    tokens: list[int]
    positions: list[int]
    branches: list[int]
    learned: list[bool]  # whether the loss asks for this token

    @classmethod
    def of_copy(cls, rng: Random, length: int) -> "Row":
        """Random symbols, a stretch of which comes again at a random distance; the second time it is learned."""
        alphabet = rng.sample(range(SYMBOLS), rng.randint(24, 256))
        stretch = rng.choices(alphabet, k=rng.randint(length // 6, length // 3))
        room = length - 2 * len(stretch)
        before = rng.randint(0, room)
        between = rng.randint(0, room - before)
        noise = [rng.choices(alphabet, k=count) for count in (before, between, room - before - between)]
        tokens = noise[0] + stretch + noise[1] + stretch + noise[2]
        second = before + len(stretch) + between
        # The first token of the second stretch cannot be foreseen, nor can the noise.
        learned = [second < column < second + len(stretch) for column in range(length)]
        return cls(tokens, list(range(length)), [0] * length, learned)

    @classmethod
    def of_document(cls, tokenizer: Tokenizer, document: Document) -> "Row":
        """The document, then for each key a branch: the key, the start of the answer's turn, the answer, its end."""
        before, between, after = prompt_frame(tokenizer)
        prefix = before + tokenizer.encode(document.text + between)
        row = cls(list(prefix), list(range(len(prefix))), [0] * len(prefix), [False] * len(prefix))
        for branch, (key, value) in enumerate(document.answers.items(), start=1):
            suffix, answer = tokenizer.encode(key) + after, answer_ids(tokenizer, value)
            row.tokens.extend(suffix + answer)
            row.positions.extend(range(len(prefix), len(prefix) + len(suffix) + len(answer)))
            row.branches.extend([branch] * (len(suffix) + len(answer)))
            row.learned.extend([False] * len(suffix) + [True] * len(answer))
        return row


@cache
def prompt_frame(tokenizer: Tokenizer) -> tuple[list[int], str, list[int]]:
    """What the prompt form puts before the document, between it and the key, and after the key.

    A prompt put together from these is the one that `minikv.extract.prompts` makes (checked for every batch), without
    its template being compiled and rendered for each key, which takes longer than the training step.
    """
    document, between, key = "Text", "\n\n### Requested key:\n", "key"
    (prompt,) = prompts(tokenizer, document, [key])
    start = tokenizer.encode(f"### Text:\n{document}{between}{key}")
    where = next(at for at in range(len(prompt)) if prompt[at : at + len(start)] == start)
    return [*prompt[:where], *tokenizer.encode("### Text:\n")], between, prompt[where + len(start) :]


def answer_ids(tokenizer: Tokenizer, value: str) -> list[int]:
    """What the model is to say. With a space before it, as in the text, a value has the tokens it has in the text, so
    they can be copied one by one; whoever reads the answer strips the space."""
    return [*tokenizer.encode(f" {value}"), tokenizer.control["<|im_end|>"]]


@dataclass(frozen=True, eq=False)
class Batch:
    tokens: Int[Tensor, "rows new"]
    placement: Placement
    row: Int[Tensor, " answers"]  # where the logits for each learned token are read: one column before it
    column: Int[Tensor, " answers"]
    target: Int[Tensor, " answers"]
    answer: Int[Tensor, " answers"]  # which answer of the batch the token belongs to

    @classmethod
    def of(cls, rows: Sequence[Row], width: int = 1) -> "Batch":
        new = rounded_up(max(len(row.tokens) for row in rows), width)
        tokens, positions, learned = (
            torch.tensor([values + [0] * (new - len(values)) for values in column])
            for column in zip(*((row.tokens, row.positions, row.learned) for row in rows), strict=True)
        )
        branches = torch.tensor([row.branches + [-1] * (new - len(row.branches)) for row in rows])
        slots = torch.arange(new).expand(len(rows), new)
        placement = Placement(positions, slots, branch_mask(branches))
        row, column = learned.nonzero(as_tuple=True)
        answer = torch.unique(row * new + branches[row, column], return_inverse=True)[1]
        return cls(tokens, placement, row, column - 1, tokens[row, column], answer)


def rounded_up(length: int, width: int) -> int:
    """The next multiple of `width`."""
    return -(-length // width) * width


def branch_mask(branches: Int[Tensor, "rows new"]) -> Bool[Tensor, "rows new new"]:
    """Each token sees what stands before it in the document and in its own branch."""
    column = torch.arange(branches.shape[1])
    same = branches[:, :, None] == branches[:, None]
    return (column <= column[:, None]) & (same | (branches == 0)[:, None])


def make_batch(step: int, tokenizer: Tokenizer) -> Batch:
    """The batch of a step: it depends on the step alone, so a run that goes on sees what it would have seen."""
    rng = Random(f"{SEED} step {step}")
    stage = stage_at(step)
    if rng.random() < stage.copying:
        length = rng.randint(*stage.length)
        copies = BATCH_TOKENS // rounded_up(length, stage.width)
        return Batch.of([Row.of_copy(rng, length) for _ in range(copies)], stage.width)
    fields, distractors = rng.randint(*stage.fields), rng.randint(*stage.distractors)
    size = Size(fields, distractors, 8, stage.tables, stage.notes, stage.plain, stage.variation, stage.run_on)
    rows: list[Row] = []
    while (len(rows) + 1) * rounded_up(max((len(row.tokens) for row in rows), default=0), stage.width) <= BATCH_TOKENS:
        document = write(rng, size)
        rows.append(Row.of_document(tokenizer, document))
    check_form(rows[-1], tokenizer, document)
    return Batch.of(rows, stage.width)


def check_form(row: Row, tokenizer: Tokenizer, document: Document) -> None:
    """AssertionError unless the row holds the very prompts that `minikv.extract` makes."""
    for branch, prompt in enumerate(prompts(tokenizer, document.text, list(document.answers)), start=1):
        seen = [token for token, at in zip(row.tokens, row.branches, strict=True) if at in (0, branch)]
        assert seen[: len(prompt)] == prompt, f"the key of branch {branch} is asked in another form than in extract"


# --- the tokenizer ----------------------------------------------------------------------------------------------------


def train_tokenizer(folder: Path) -> None:
    """Byte-level BPE from the training documents, with Qwen's pieces, normaliser and control tokens."""
    rng = Random(f"{SEED} tokenizer")
    bpe = tokenizers.Tokenizer(models.BPE())
    bpe.normalizer = normalizers.NFC()
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SYMBOLS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bpe.train_from_iterator(tokenizer_text(rng), trainer)
    bpe.add_special_tokens([tokenizers.AddedToken(text, special=True, normalized=False) for text in CONTROL])
    bpe.save(str(folder / "tokenizer.json"))
    settings = {
        "add_bos_token": False,
        "add_prefix_space": False,
        "bos_token": None,
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|im_end|>",
        "errors": "replace",
        "model_max_length": CONFIG["max_position_embeddings"],
        "pad_token": "<|endoftext|>",
        "split_special_tokens": False,
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": None,
    }
    write_json(folder / "tokenizer_config.json", settings)


def tokenizer_text(rng: Random) -> Iterator[str]:
    for _ in range(6000):
        document = write(rng, Size(rng.randint(1, 8), rng.randint(0, 3), keys=8, plain=True))
        yield document.text
        yield "\n".join(document.answers)  # the keys
        yield f"system\n{INSTRUCTION}\nuser\n### Text:\n\n\n### Requested key:\n\nassistant\n"


# --- training ---------------------------------------------------------------------------------------------------------


def new_model() -> Qwen2:
    """The decoder before training: random, but for the first two layers' habits of `look_back` and `look_up`."""
    torch.manual_seed(SEED)
    model = Qwen2(Config.parse(CONFIG))
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.5)
        elif "embed_tokens" in name:
            torch.nn.init.normal_(parameter, std=EMBEDDING_STD)
        elif parameter.ndim == 2:
            # What a layer adds to the residual stream starts no larger than the embedding that is there already.
            scale = ATTENTION_SCALE if name.endswith("o_proj.weight") else MLP_SCALE if "down_proj" in name else 1.0
            torch.nn.init.orthogonal_(parameter, gain=scale * max(1.0, parameter.shape[0] / parameter.shape[1]) ** 0.5)
    look_back(model)
    look_up(model)
    return model


def fp32_attention(mask: Bool[Tensor, "rows new new"], group: int) -> Attend:
    """Attention in fp32, also where all else is in bf16: on a CPU its backward pass takes half as long. The mask, which
    all layers share, is made numbers once."""
    numbers = additive(mask, group, torch.float32)

    def attend(q: Tensor, keys: Tensor, values: Tensor, _: Tensor) -> Tensor:
        with torch.autocast("cpu", enabled=False):
            stacked = stack(q.float(), keys.shape[1])
            out = F.scaled_dot_product_attention(stacked, keys.float(), values.float(), attn_mask=numbers)
            return unstack(out, q.shape[1])

    return attend


# Copying takes two layers: one notes for each token what came before it, another looks for the place where the token at
# hand came before, and passes on what it finds there (Olsson et al. 2022, arXiv:2209.11895). Training finds this pair
# late, as neither half is of use without the other; written down as a first guess, it is there from the start, and
# training takes it from there.


@torch.no_grad()
def look_back(model: Qwen2) -> None:
    """Let each head of the first layer begin by looking a few tokens back, by its biases alone: a query bias that is
    turned back by n positions meets an equal key bias n positions earlier."""
    config, attention = model.config, model.model.layers[0].self_attn
    frequencies = rope_angles(torch.ones(1, 1, dtype=torch.int64), config.head_dim, config.theta).flatten()
    strength = torch.where(frequencies > 0.05, LOOK_BACK_STRENGTH, 0.0)  # only fast points tell neighbours apart
    back = torch.tensor(LOOK_BACK)[:, None] * frequencies  # heads half
    attention.q_proj.bias.copy_(torch.cat([strength * back.cos(), -strength * back.sin()], dim=1).flatten())
    attention.k_proj.bias.copy_(torch.cat([strength, torch.zeros_like(strength)]).repeat(config.kv_heads))
    attention.q_proj.weight.mul_(0.3)
    attention.k_proj.weight.mul_(0.3)


@torch.no_grad()
def look_up(model: Qwen2) -> None:
    """Let the heads of the second layer look for what the first layer's looking back has noted, and let every head from
    there on pass on what it reads as it is: its output matrix is the transpose of its value matrix."""
    config = model.config
    dim, group = config.head_dim, config.group
    first, second = (model.model.layers[layer].self_attn for layer in (0, 1))
    frequencies = rope_angles(torch.ones(1, 1, dtype=torch.int64), dim, config.theta).flatten()
    # Fast points would turn out of step over a document's length.
    slow = torch.where(frequencies < 0.02, LOOK_UP_STRENGTH, 0.2).repeat(2)[:, None]  # head_dim 1
    for kv_head in range(config.kv_heads):
        head = kv_head * group  # the group's first head looks one token back
        noted = first.o_proj.weight[:, head * dim : (head + 1) * dim]  # hidden head_dim
        second.k_proj.weight[kv_head * dim : (kv_head + 1) * dim] = noted.T / ATTENTION_SCALE
        for query in range(head, head + group):
            second.q_proj.weight[query * dim : (query + 1) * dim] = (
                slow * first.v_proj.weight[kv_head * dim : (kv_head + 1) * dim]
            )
    for bias in (first.v_proj.bias, second.q_proj.bias, second.k_proj.bias):
        bias.zero_()  # noise that would drown the match
    for layer in model.model.layers[1:]:
        for head in range(config.heads):
            read = layer.self_attn.v_proj.weight[head // group * dim : (head // group + 1) * dim]  # head_dim hidden
            layer.self_attn.o_proj.weight[:, head * dim : (head + 1) * dim] = ATTENTION_SCALE * read.T


def new_optimizers(model: Qwen2) -> list[torch.optim.Optimizer]:
    """Muon (Jordan et al. 2024) for the matrices between residual streams, AdamW for everything else."""
    parameters = dict(model.named_parameters())
    matrices = [parameter for name, parameter in parameters.items() if parameter.ndim == 2 and "layers" in name]
    others = [parameter for name, parameter in parameters.items() if parameter.ndim != 2 or "layers" not in name]
    return [
        torch.optim.Muon(matrices, lr=MATRIX_RATE, momentum=0.95, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def answer_logits(model: Qwen2, batch: Batch) -> Float[Tensor, "answers vocab"]:
    """Logits where a learned token comes next; the head is computed nowhere else."""
    model.attend = fp32_attention(batch.placement.mask, model.config.group)
    hidden = model.hidden(batch.tokens, placement=batch.placement)
    return model.lm_head(hidden[batch.row, batch.column])


def train_step(model: Qwen2, optimizers: Sequence[torch.optim.Optimizer], batch: Batch, factor: float) -> float:
    with torch.autocast("cpu", torch.bfloat16):  # the products alone; weights and their steps stay in fp32
        logits = answer_logits(model, batch)
    loss = F.cross_entropy(logits.float(), batch.target)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer, rate in zip(optimizers, (MATRIX_RATE, OTHER_RATE), strict=True):
        for group in optimizer.param_groups:
            group["lr"] = rate * factor
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


@torch.no_grad()
def exact_share(model: Qwen2, tokenizer: Tokenizer, held_out: bool) -> float:
    """Share of answers that greedy decoding would give exactly, on a fixed sample. One pass is enough: decoding gives
    the true tokens just if each is the likeliest after the true ones before it."""
    rng = Random(f"{SEED} progress {held_out}")
    rows = [Row.of_document(tokenizer, write(rng, Size(5, 2, keys=5), held_out)) for _ in range(64)]
    batch = Batch.of(rows)
    right = answer_logits(model, batch).argmax(dim=-1) == batch.target
    answers = torch.ones(int(batch.answer.max()) + 1).scatter_reduce(0, batch.answer, right.float(), "amin")
    return answers.mean().item()


def train(folder: Path, stop_after: int | None, minutes: float | None) -> None:
    """Train from the last save in `folder`, or from the beginning, and leave the checkpoint there."""
    folder.mkdir(parents=True, exist_ok=True)
    state_path = folder / "training.pt"
    model = new_model()
    optimizers = new_optimizers(model)
    start, log = 0, []
    if state_path.exists():
        state = torch.load(state_path, weights_only=True)
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        start, log = state["step"], state["log"]
    else:
        train_tokenizer(folder)
    tokenizer = Tokenizer.read(folder)
    end = min(STEPS, stop_after or STEPS)
    began, spent = time.monotonic(), log[-1]["seconds"] if log else 0.0
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    )
    recent: list[float] = []
    with progress:
        task = progress.add_task("training", total=end, completed=start)
        for step in range(start, end):
            batch = make_batch(step, tokenizer)
            recent.append(train_step(model, optimizers, batch, rate_at(step)))
            progress.update(task, advance=1, description=f"loss {sum(recent[-20:]) / len(recent[-20:]):.3f}")
            seconds = spent + time.monotonic() - began
            out_of_time = minutes is not None and time.monotonic() - began > 60 * minutes
            if (step + 1) % SAVE_EVERY == 0 or step + 1 == end or out_of_time:
                entry: dict[str, float] = {
                    "step": step + 1,
                    "seconds": round(seconds, 1),
                    "loss": round(sum(recent) / len(recent), 4),
                    "known": exact_share(model, tokenizer, False),
                    "held_out": exact_share(model, tokenizer, True),
                }
                log.append(entry)
                recent.clear()
                progress.console.print(json.dumps(entry))
                save(folder, model, optimizers, step + 1, log)
            if out_of_time:
                return


def save(
    folder: Path, model: Qwen2, optimizers: Sequence[torch.optim.Optimizer], step: int, log: list[dict[str, float]]
) -> None:
    """The checkpoint as it is now, in the official layout, and all that is needed to go on from here."""
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if name != "lm_head.weight"}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "config.json", CONFIG)
    write_json(folder / "generation_config.json", GENERATION)
    write_json(folder / "training_log.json", log)
    draw(folder / "loss.png", log)
    state = {
        "model": model.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
        "step": step,
        "log": log,
    }
    torch.save(state, folder / "training.new")
    (folder / "training.new").replace(folder / "training.pt")  # at once, so that a kill leaves a whole save


def draw(path: Path, log: Sequence[dict[str, float]]) -> None:
    """Loss and exact answers over the steps, the stages of the curriculum marked."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    step = [entry["step"] for entry in log]
    above.plot(step, [entry["loss"] for entry in log], color="tab:blue")
    above.set(yscale="log", ylabel="loss on answers (nats a token)", title="Training of the bundled checkpoint")
    below.plot(step, [100 * entry["known"] for entry in log], color="tab:orange", label="known patterns, new documents")
    below.plot(step, [100 * entry["held_out"] for entry in log], color="tab:green", label="held-out patterns")
    below.set(xlabel="step", ylabel="answers exactly right (%)", ylim=(0, 100))
    below.legend(loc="lower right")
    for axis in (above, below):
        axis.grid(alpha=0.3)
        for stage in STAGES[1:]:
            if stage.start < step[-1]:
                axis.axvline(stage.start, color="grey", linewidth=0.8, linestyle="--")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the checkpoint and of the save that a run goes on from")
    parser.add_argument("--stop-after", type=int, help="leave off after this step")
    parser.add_argument("--minutes", type=float, help="leave off after so many minutes")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads (default: 2)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    train(options.out, options.stop_after, options.minutes)


if __name__ == "__main__":
    main()
