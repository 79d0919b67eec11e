"""Studies that people take part in: what is shown, what they answered, and what it adds up to."""
