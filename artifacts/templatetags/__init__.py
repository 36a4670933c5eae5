"""What templates of the admin need."""
