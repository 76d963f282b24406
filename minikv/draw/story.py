"""The bug and its fix in one picture: short rows read at padding, and the same rows each at its own end."""

from typing import TYPE_CHECKING, Any

from minikv.decoder import Decoder
from minikv.demo import DOCUMENTS, bundled_document
from minikv.draw.cells import cells_after
from minikv.draw.looks import RIGHT, WRONG, cache_look
from minikv.draw.panels import Line, Panel, paint
from minikv.draw.views import TOKENS, titled
from minikv.recipes import RECIPES
from minikv.tokenizer import Tokenizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BUG, FIX = "right_padded_batch", "per_row_offsets"
KEYS = ("Name", "Licence", "Number of parameters")  # to the bundled tokenizer: 2, 5 and 6 tokens with a colon
SHOWN = 3  # steps
ANSWER = 12  # tokens
REMARKS = {
    BUG: "One offset for all rows: short rows are read at padding, and go on at positions 1, 2 behind a prefix of {}.",
    FIX: "An offset for each row: it is read at its own last token, and goes on at its own end, at the next position.",
}


def bug_and_fix(model: Decoder, tokenizer: Tokenizer) -> "Figure":
    """`right_padded_batch` above `per_row_offsets`: where each row's first new token was read, what followed, and what
    the row answers in the end. The prompts are plain: a chat would end all of them in the same five tokens."""
    document, _ = bundled_document(DOCUMENTS[0])
    prefix = tokenizer.encode(f"### Text:\n{document.strip()}\n\n### Requested key:\n")
    suffixes = [tokenizer.encode(f"{key}:") for key in KEYS]
    ends: dict[str, Any] = {"stop_ids": tokenizer.stop_ids, "pad_id": tokenizer.pad_id}
    answers = {name: RECIPES[name](model, prefix, suffixes, max_new_tokens=ANSWER, **ends) for name in REMARKS}
    panels = []
    for name, remark in REMARKS.items():
        walk = list(RECIPES[name].steps(model, prefix, suffixes, max_new_tokens=SHOWN, **ends))
        cells, lines = cells_after(walk, tokenizer, read_at=0), []
        for row, key, answer, truth in zip(cells, KEYS, answers[name], answers[FIX], strict=True):
            sign, colour = ("✓", RIGHT) if answer == truth else ("✗", WRONG)
            note = f"{sign} {tokenizer.decode(answer).strip()}"
            lines.append(Line([cache_look(cell) for cell in row], key, note, colour))
        panel = Panel(lines, cells, notes="answer", caption=TOKENS)
        panels.append(titled(panel, RECIPES[name], remark.format(len(prefix))))
    return paint(panels)
