"""The untrusted side: the only part of the grader that enters the sandbox.

A worker gets one student's file and calls its functions with inputs that the grader owns; it knows no expected
value, no seed and no test. What it sends back is a claim. It imports `shared` only, and torch only when a tensor of a
Python file is needed.

    wire.py      frames: 4 bytes of length, JSON; memory travels as file descriptors, from the grader only
    values.py    arguments and results as JSON
    server.py    a warm process without student code that forks one child per setting (CPU)
    enter.py     start a program behind a filter of system calls
    child.py     load the file, answer calls
    compiling.py a call whose Triton kernels are compiled and not run
    python_file.py, cuda_file.py    the two kinds of student files
    remote.py    callbacks into the grader, and stand-ins for library functions
"""
