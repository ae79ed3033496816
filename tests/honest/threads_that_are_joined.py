"""Two threads, each for one half, joined before the result is returned."""
import threading

import torch


def double(x):
    flat, out = x.reshape(-1), torch.empty(x.numel(), dtype=x.dtype)

    def work(part):
        out[part] = 2 * flat[part]

    middle = x.numel() // 2
    threads = [threading.Thread(target=work, args=(part,)) for part in (slice(0, middle), slice(middle, None))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out.reshape(x.shape)
