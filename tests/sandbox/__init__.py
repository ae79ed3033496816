"""Attacks from inside each level of the sandbox that this host gives, and the pieces that the sandbox is made of."""
