"""r and other prefixes, docstrings that are no texts, and escapes: \\N{BULLET}."""
r"""a second one"""
b"""bytes"""


def double(x):
    r"\d \x \u is no escape here"
    "another" 'one'
    f"{2}"
    ...
    return x * 2
