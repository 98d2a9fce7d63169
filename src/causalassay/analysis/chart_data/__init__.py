"""Small tidy tables that the charts of a report are drawn from."""
