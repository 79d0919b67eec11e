"""Caption metrics of a run: how close its captions are to reference captions, before and after the edits."""
