"""Any OpenAI-compatible chat endpoint as the system under test."""
