"""How often an algorithm finds each edge when the rows are drawn again."""
