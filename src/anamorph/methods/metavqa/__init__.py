"""MetaVQA: question and image relations."""
