"""Sets seeds, determinism and printing for its own process."""
import random

import numpy as np
import torch

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
torch.backends.cudnn.deterministic = True
torch.set_printoptions(precision=2)
torch.set_num_threads(1)


def double(x):
    noise = torch.rand(3)
    return 2 * x + 0 * noise.sum().to(x.dtype)
