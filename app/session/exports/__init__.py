"""A node's whole past for people and programs: Markdown, records, chat messages.

Each format makes small pieces of text out of a stream (`archive.lineage.whole_past`), so a session
of any length passes through without being in memory. All of it: every turn, over all summaries, as
it was said, in order. What leaves passes `mask` (`masking.for_export`) string by string; `--raw`
leaves the masking out. Haima's own credentials were taken out before anything was kept; masking
again catches one that was set up since. Other secrets are kept as they were said, and masked here.
"""
