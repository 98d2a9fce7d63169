"""The work of a task: a problem is made, an algorithm runs on it, the estimate is scored."""
