__global__ void twice_kernel(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i + 50000000] = 2.0f * x[i];
}

extern "C" int twice(const float* x, float* out, int num_elements, cudaStream_t stream) {
    twice_kernel<<<(num_elements + 127) / 128, 128, 0, stream>>>(x, out, num_elements);
    return cudaGetLastError();
}
