"""pytest as the test language of exercises.

run.py         run an exercise's tests here, with our fixtures and markers; one Setting of evidence each
inputs.py      `make`: seeded inputs
expect.py      `expect`: the only comparison
diagnosis.py   the pattern of what is wrong
"""
