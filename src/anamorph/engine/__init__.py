"""The stages of a run: plan, enrich, render, ask, judge. They yield events and never print."""
