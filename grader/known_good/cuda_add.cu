// The smallest CUDA kernel: y = x + 1.

__global__ void add_one_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1.0f;
}

extern "C" int add_one(const float* x, float* y, int n, cudaStream_t stream) {
    add_one_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
