"""The loop that drives the model and its tools, and what it needs: approvals, prompts, repeats."""
