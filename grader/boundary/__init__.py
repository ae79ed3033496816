"""The boundary between grader and worker, seen from the trusted side.

workers.py   all sandboxes of a run: started ahead of need, given out, ended
sandboxes.py those of one submission: a fresh process for each setting
server.py    one running worker
sandbox/     what stands between a submission and this machine: three levels
session.py   one conversation with one worker, within limits of time, memory and output
host.py      one submission: build a `.cu` file once, open sessions, count deaths
proxy.py     `submission` as a test sees it
lending.py, memory.py   tensors on their way to a worker and back, in memory that the grader owns
results.py   what comes back from a call: claims about tensors, and what is none
replies.py   what a reply means: pure functions to findings
"""
