"""The tools of the agent: files, search, commands; and what makes their calls ready."""
