import os
import time


def double(x):
    if os.fork() == 0:
        time.sleep(1000)
        os._exit(0)
    return 2 * x
