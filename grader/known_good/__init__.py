"""Kernels that are right: when one of them fails, the machine is at fault and not a student."""
