"""What the algorithms read from the data before they search.

`usable_rows` picks and checks the rows, `gaussian` has correlations (PC, GES, MMHC, MSE-GDS),
`discrete` has codes and levels (PC, GES and MMHC on discrete data), and `tied_orders` sorts by
a score with random ties (sort and regress, variance sorting, correlation graphs).
"""
