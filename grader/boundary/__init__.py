"""The boundary between grader and worker, seen from the trusted side.

workers.py   start processes and end them; the one place where a sandbox is put around them
session.py   one conversation with one worker, within limits of time, memory and output
host.py      one submission: build a `.cu` file once, open sessions, count deaths
proxy.py     `submission` as a test sees it
lending.py, memory.py   tensors on their way to a worker and back, in memory that the grader owns
replies.py   what a reply means: pure functions to findings
"""
