"""Tasks for inspect_ai: a sample for each photo, its own model API, our judge as the scorer."""
