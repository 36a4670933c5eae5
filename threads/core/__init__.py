"""The rules of threads, in plain Python: what a message means, what a turn takes, what history is owed."""
