"""“What leaves your device”, for everybody."""
