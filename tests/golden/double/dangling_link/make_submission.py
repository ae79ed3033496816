"""A link to nowhere."""


def make(path):
    path.symlink_to("nowhere")
