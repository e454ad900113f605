"""What is under way, left out, stored and deleted next."""
