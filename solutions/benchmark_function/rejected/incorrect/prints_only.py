import time

import torch


def benchmark(description, run, num_warmups, num_trials):
    for _ in range(num_warmups):
        run()
    torch.cuda.synchronize()
    start = time.time()
    run()
    torch.cuda.synchronize()
    print(description, time.time() - start)
