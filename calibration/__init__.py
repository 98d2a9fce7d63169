"""How often the judge is wrong: audits and studies of data whose nature is known."""
