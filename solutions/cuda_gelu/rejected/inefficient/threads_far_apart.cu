// Right, and one kernel, but each thread takes 32 neighbouring elements: the lanes of a warp lie far apart.
//
// Loses: each byte once

constexpr int EACH = 32;

__global__ void gelu_kernel(const float* x, float* out, int64_t num_elements) {
    int64_t first = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * EACH;
    for (int64_t i = first; i < first + EACH && i < num_elements; ++i) {
        float v = x[i];
        out[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
    }
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
    if (num_elements == 0) return cudaSuccess;
    int64_t threads = (num_elements + EACH - 1) / EACH;
    gelu_kernel<<<(threads + 127) / 128, 128, 0, stream>>>(x, out, num_elements);
    return cudaGetLastError();
}
