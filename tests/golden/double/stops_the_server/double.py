import os
import signal
import time


def double(x):
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(0.5)  # until it has stopped, also on a busy machine
    return 2 * x
