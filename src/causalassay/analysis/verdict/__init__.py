"""From the numbers of a study to sentences, each by a rule that is printed with it."""
