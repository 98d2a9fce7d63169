"""What happens inside a task: a problem is made, an algorithm meets it, the estimate is scored."""
