"""The stages of a run: plan, render, ask, judge. It yields events and never prints."""
