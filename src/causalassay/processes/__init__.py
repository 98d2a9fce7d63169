"""Runs calls in processes that may hang, crash or use up memory: each costs one call, no other.

- `supervisor` keeps workers alive and gives each its next call, within limits of time and memory;
  `worker_client` is its end of one of them, `worker` is what runs there.
- `launcher` forks processes that know nothing (`launcher_process`), for code that must not see
  what its caller holds; `isolated` talks to one of them.
- `limits` has what a call may use, and how it can be lost; `stages` which part of its time a
  process is at: limits hold for computing and for loading code apart.
- `process_tree` has what a process started: its memory, its end, whose end ends it.
- `messages` has what goes between processes, `scratch` folders and files that leave nothing.
"""
