"""Each recipe as a person would write it with transformers: what minikv's recipes must give, token for token."""

import copy

import torch
import transformers


@torch.no_grad()
def answers(
    reference: transformers.PreTrainedModel,
    recipe: str,
    prefix: list[int],
    suffixes: list[list[int]],
    *,
    max_new_tokens: int,
    stop_id: int | None = None,
    pad_id: int = 0,
) -> list[list[int]]:
    """The new ids of each suffix, greedy, up to and without the stop id."""

    def generate(rows: list[list[int]], real: list[list[int]], cached: object = None) -> list[list[int]]:
        tokens, mask = torch.tensor(rows), torch.tensor(real)
        if recipe.startswith("left_shifted"):
            order = torch.sort(mask, dim=1, stable=True).indices if recipe.endswith("stable") else mask.argsort(dim=1)
            tokens, mask = tokens.gather(1, order), mask.gather(1, order)
        out = reference.generate(
            input_ids=tokens,
            attention_mask=mask,
            cache=cached,
            max_new_tokens=max_new_tokens,
            do_sample=False,
            eos_token_id=stop_id,
            pad_token_id=pad_id,
        )
        return [until(row, stop_id) for row in out[:, tokens.shape[1] :].tolist()]

    if recipe == "naive_loop":
        return [generate([prefix + s], [[1] * len(prefix + s)])[0] for s in suffixes]
    cache = reference(torch.tensor([prefix]), use_cache=True, logits_to_keep=1).past_key_values
    if recipe == "single_row_cache":
        return [generate([prefix + s], [[1] * len(prefix + s)], copy.deepcopy(cache))[0] for s in suffixes]
    cache.batch_repeat_interleave(len(suffixes))
    holes = [max(map(len, suffixes)) - len(suffix) for suffix in suffixes]
    ones = [1] * len(prefix)
    if recipe == "suffix_left_padded":
        rows = [prefix + [pad_id] * hole + s for s, hole in zip(suffixes, holes, strict=True)]
        return generate(
            rows, [ones + [0] * hole + [1] * len(s) for s, hole in zip(suffixes, holes, strict=True)], cache
        )
    rows = [prefix + s + [pad_id] * hole for s, hole in zip(suffixes, holes, strict=True)]
    return generate(rows, [ones + [1] * len(s) + [0] * hole for s, hole in zip(suffixes, holes, strict=True)], cache)


def until(row: list[int], stop_id: int | None) -> list[int]:
    return row[: row.index(stop_id)] if stop_id in row else row
