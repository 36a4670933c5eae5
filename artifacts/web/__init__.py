"""The pages of artifacts, and what every page of the product is made with: prose, access, errors, sockets."""
