"""What the reports of a use case cost the privacy of those who send them, and what is promised about them."""

from reports.privacy.loss import Loss, largest_epsilon, privacy_loss

__all__ = ["Loss", "largest_epsilon", "privacy_loss"]
