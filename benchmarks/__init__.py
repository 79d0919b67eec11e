"""Speed and memory, always beside a plain implementation in the same run."""
