"""Private training with correlated noise: what the examples share."""
