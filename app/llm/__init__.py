"""Models behind OpenAI-compatible endpoints, and the offline demo.

`client` is the one client; what is pure stands in modules of its own: `sse`, `assemble` with
`calls`, `reasoning` and `usage`, `dialects`, `classify` with `body` and `signs`, `waits`, `place`.
Only `http` and `transport` import httpx2 and openai, and only `late` imports them.
"""
