"""The reader that asks another system what a text means: the prompt, the reply, and the calls between them."""
