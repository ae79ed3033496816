"""A file far larger than any solution."""


def make(path):
    path.write_text("# filler\n" * 1_200_000)
