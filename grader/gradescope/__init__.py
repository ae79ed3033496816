"""The grader as a Gradescope autograder: what the package carries, and what Gradescope tells it of a submission.

commands/package_autograder.py   the zip that Gradescope builds an image from
settings.py                      what the package carries beside the course: seed, visibility, time limit
handed_in.py                     submission/ and submission_metadata.json → a table of one submission
metadata.py                      who handed in when, as far as Gradescope says it
places.py                        the folders around it, closed to submissions while they run
commands/gradescope_run.py       one submission → results/results.json, whole after each exercise

Grading is that of a batch of one (`grader/batch`): another process grades, so whatever happens to it, this one goes on,
knows the time, and writes what there is.
"""
