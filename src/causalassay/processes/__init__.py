"""Runs calls in processes that may hang, crash or use up memory: each costs one call, no other.

- `supervisor` keeps workers alive and gives each its next call, within limits of time and memory;
  `worker` is what runs in them.
- `launcher` forks processes that know nothing (`launcher_process`), for code that must not see
  what its caller holds; `isolated` talks to one of them.
- `limits` has what a call may use, and how it can be lost.
- `process_tree` has what a process started: its memory, its end, whose end ends it.
- `programs` ends other people's programs; `scratch` has folders and files that leave nothing.
"""
