"""What templates may say of threads."""
