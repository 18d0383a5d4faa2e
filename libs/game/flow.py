"""The table while one input is worked on: emits events and runs phases until the round waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libs.game import events as ev
from libs.game.actions import PASS, PromptClass
from libs.game.evolve import apply
from libs.game.options import unpack
from libs.game.state import Prompt, State
from libs.game.variant import Variant
from libs.game.view import Formed, form


class Table:
    """A state that is being changed. Everything happens through `emit`, phases through `go`."""

    __slots__ = ("_phase", "events", "kept", "options", "run_on", "state", "stopped", "variant")

    def __init__(self, state: State, variant: Variant, run_on: bool) -> None:
        self.state = state
        self.variant = variant
        self.options: Any = unpack(variant.options, state.options)
        self.run_on = run_on
        self.kept: Any = None
        """What the family works out once for this input, e.g. how the room scores."""
        self.events: list[Formed] = []
        self.stopped = False
        self._phase = state.phase
        """The phase that the events so far lead to."""

    def emit(self, event: ev.Event) -> None:
        """Applies an event and keeps it with the forms its readers get."""
        apply(self.state, event)
        self.events.append(form(self, event))

    def run(self) -> None:
        """Runs phases until one stops: for answers, for an advance, or at the round's end."""
        phases, state = self.variant.phases, self.state
        self.stopped = False
        while not self.stopped and not state.outcome:
            phases[state.phase](self)
        if state.phase != self._phase:
            # Phases passed through on the way are nobody's business, the log's neither.
            self._phase = state.phase
            self.emit(ev.Moved(state.phase))

    def stop(self) -> None:
        """Ends `run` after the current phase."""
        self.stopped = True

    def go(self, phase: int) -> None:
        """The next phase; the move is an event of its own once the input is worked off."""
        self.state.phase = int(phase)

    def paused(self) -> bool:
        """Stops for the display pause before a draw, once per card shown (M4).

        True: the phase must return at once and is run again after the advance.
        """
        if self.run_on:
            return False
        if self.state.waiting == 2:
            self.emit(ev.Waiting(0))
            return False
        self.emit(ev.Waiting(1))
        self.stop()
        return True

    def note(self, seat: int, slot: int, value: int) -> None:
        """Sets a seat's register, if that changes it."""
        if self.state.marks[seat][slot] != value:
            self.emit(ev.Noted(seat, slot, value))

    def keep(self, slot: int, value: int) -> None:
        """Sets a register of the round, if that changes it."""
        if self.state.regs[slot] != value:
            self.emit(ev.Kept(slot, value))

    def ask(
        self,
        seat: int,
        cls: PromptClass,
        choices: Sequence[bytes],
        picks: tuple[int, int],
        continues: int = 0,
    ) -> None:
        """Asks a seat; `picks` are the indices a timeout and a seat on 托管 take."""
        self.emit(ev.Asked(seat, cls, tuple(choices), picks[0], picks[1], continues))

    def prompt(self, seat: int) -> Prompt | None:
        """The seat's open question."""
        for prompt in self.state.prompts:
            if prompt.seat == seat:
                return prompt
        return None

    def answered(self, seat: int) -> bytes | None:
        """The seat's answer if it has an open question that it answered."""
        prompt = self.prompt(seat)
        if prompt is None or prompt.answer < 0:
            return None
        return prompt.choices[prompt.answer]

    def close(self, prompt: Prompt, outcome: int) -> None:
        """Closes a question; see `PromptClosed.Outcome` for the numbers."""
        self.emit(ev.Closed(prompt.seat, prompt.number, outcome, prompt.answer))


TAKEN, PASSED, OUTRANKED = 1, 2, 3
"""How a question was closed."""


def close_single(table: Table, prompt: Prompt) -> bytes:
    """Closes a question that stood alone and returns the answer."""
    choice = prompt.choices[prompt.answer]
    table.close(prompt, PASSED if choice == PASS else TAKEN)
    return choice
