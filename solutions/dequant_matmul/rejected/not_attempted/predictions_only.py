"""The predictions are there, the kernel is not."""

GROUP_SIZE = 128


def dequant_matmul(x, packed, scales):
    raise NotImplementedError


def predict_programs(M, N, K):
    return -(-N // 64)


def predict_bytes(M, N, K):
    return N * K // 2
