// Right, but the inner part goes through memory: one kernel writes it, a second one reads it again.
//
// Loses: one launch; each byte once

__global__ void inner_kernel(const float* x, float* inner, int64_t num_elements) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < num_elements) inner[i] = 0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
}

__global__ void outer_kernel(const float* x, float* out, int64_t num_elements) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < num_elements) out[i] = 0.5f * x[i] * (1.0f + tanhf(out[i]));
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
    if (num_elements == 0) return cudaSuccess;
    int64_t blocks = (num_elements + 255) / 256;
    inner_kernel<<<blocks, 256, 0, stream>>>(x, out, num_elements);
    outer_kernel<<<blocks, 256, 0, stream>>>(x, out, num_elements);
    return cudaGetLastError();
}
