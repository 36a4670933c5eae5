"""The thread page: what it shows, the forms it takes and the socket that keeps it current."""
