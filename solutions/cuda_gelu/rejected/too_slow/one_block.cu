// Right, but a single block: one multiprocessor of many does the work.

__device__ float gelu_of(float x) {
    return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

__global__ void gelu_kernel(const float* x, float* out, int64_t num_elements) {
    for (int64_t i = threadIdx.x; i < num_elements; i += blockDim.x) out[i] = gelu_of(x[i]);
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
    gelu_kernel<<<1, 1024, 0, stream>>>(x, out, num_elements);
    return cudaGetLastError();
}
