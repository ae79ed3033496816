"""Laid out as nobody would: one line, semicolons, tabs, brackets everywhere."""
import torch;two=(2)

def double (  x  ) :
	y = x ; z = ((( y ) ) *(two) ) ; \
	return_value = z ; del y
	return  ( return_value
	)
