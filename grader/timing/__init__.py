"""Performance: how long the submission takes, on a clock it cannot touch, as a share of what this device can do.

One long batch of K calls on K unseen inputs is timed from outside, and every output is checked. The submission and the
baseline take turns in random order, each in a worker of its own:

    freeze the worker → write the inputs → show the GPU idle → thaw → start the clock → K calls → stop → check all

Nothing that the worker can influence is subtracted: the fixed cost of a batch is measured with an empty function in the
baseline's worker. Rounds go on until the interval of the median is tight, or the budget ends.

    statistics.py, marks.py   pure: intervals, the stopping rule, shares into quarters of a case's points
    race.py                   pure but for the racers it is given: rounds, order, drift
    racer.py                  one worker on the track: memory shared by CUDA IPC, freeze, batch, check
    ceilings.py, health.py    what this device can do, and how it is doing
    lock.py                   one timing at a time on a device
    process.py                all of it in a process of its own, with a CUDA context of its own, for one submission
"""
