"""Training of the networks that `amortized` runs: torch, on one GPU, outside the package.

`python -m training --prior uumc --minutes 4 --out weights` draws systems of a prior and their
data on the GPU (`priors`, `generators`, `graphs`, `linear`, `nonlinear`, `noise`), describes each
pair of columns (`features`) and trains the network (`network`, `loop`) to tell the edges. Into the
folder go the weights (float16, with a card), a log as JSON lines and a checkpoint, from which
`--resume` continues.

- `python -m training.speed` measures how many systems a second are drawn and learned from.
- `python -m training.curve` draws the logs.
- `python -m training.audit` draws data sets of a prior, lets the package's judge look for what
  gives the causal order away, and writes what it says into the card.

Training needs torch, numpy and the standard library; the curve and the audit need the package.
"""
