"""The picture of the home page, `docs/forecast.svg`: what `forecast` draws of a month of an office's memories."""

from pathlib import Path

import remanence
from remanence.core.clock import ManualClock

FILE = Path(__file__).resolve().parents[2] / "docs" / "forecast.svg"
POLICY, DAYS_BEFORE, DAYS_AHEAD = "janitor", 30, 30


def draw_forecast() -> str:
    """Return the picture, the same at every call: the clock stands, and no vector is made."""
    clock = ManualClock()
    with remanence.sync.open(":memory:", embedder="none", clock=clock) as memory:
        memory.policy.use(POLICY)
        for day in range(DAYS_BEFORE):
            memory.learn(f"The crane of berth {day} is due.", category="notification", state="unread")
            for ship in range(day % 4):
                memory.learn(f"Ship {ship} of day {day} has left.", category="notification", state="read")
            memory.learn(f"Paint the hull {day}.", category="task", state="completed")
            if day % 3 == 0:
                memory.learn(f"Tide and berths {day}.", category="session_context", state="ended")
            clock.advance(days=1)
            memory.run_jobs()
        return memory.forecast(DAYS_AHEAD).svg()
