"""Performance: how long the submission takes, on a clock it cannot touch, as a share of what this device can do.

One long batch of K calls on K unseen inputs is timed from outside, and every output is checked. The submission and the
baseline take turns in random order, each in a worker of its own:

    freeze → write the inputs → see the GPU idle → start the clock, thaw → K calls → stop the clock, halt → check all

Nothing that the submission can influence is subtracted: what a batch costs beside its work is what the baseline's own
events do not see of it. Rounds go on until the interval of the median is tight, or the budget ends.

    pure            statistics.py, race.py     intervals; rounds, order, the stopping rule
                    marks.py, evidence.py      shares into quarters of a case's points; what is noted beside them
                    calibration.py             repeated gradings of known files into a table
                    measurement.py             the records
    one case        plan.py                    the inputs, the oracle, how many calls fit into a batch
                    arena.py                   the memory of K calls, shared by CUDA IPC
                    oracle.py, screen.py       is this output right; the same in one pass over memory
                    racer.py, mapped.py        one worker on the track; its memory as we see it
                    rivals.py                  both of them
                    host_copies.py             the same where CUDA cannot share memory: no marks
    the device      ceilings.py, idle.py       what it can do; whether it works for anybody else
                    health.py, lock.py         how it is doing; one timing at a time
    one submission  stage.py, process.py       case after case; in a process with a CUDA context of its own
"""
