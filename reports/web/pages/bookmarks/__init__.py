"""What people keep of what they look at: saved views and subscriptions."""
