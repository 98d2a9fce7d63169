"""Training of the networks that `amortized` runs: torch, on one GPU, outside the package.

`python -m training --prior uumc --minutes 4 --out weights` draws systems of a prior and their
data on the GPU (`priors`, `generators`, `graphs`, `linear`, `nonlinear`, `noise`), describes each
pair of columns (`features`) and trains the network (`network`, `loop`) to tell the edges. Into the
folder go the weights (float16, with a card), a log as JSON lines and a checkpoint, from which
`--resume` continues.

- `python -m training.audit weights/*.npz` draws data sets of each prior, lets the package's judge
  look for what gives the causal order away, and writes what it says into the cards.
- `python -m training.curve weights/*.log.jsonl` draws the logs.

Training needs torch, numpy and the standard library; the curve and the audit need the package.
"""
