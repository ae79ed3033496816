__global__ void twice_kernel(const float* x, float* out, int n) {
    out[100000000 + int(fabsf(x[0]) * 1000)] = 1.0f;
}

extern "C" int twice(const float* x, float* out, int num_elements, cudaStream_t stream) {
    twice_kernel<<<1, 1, 0, stream>>>(x, out, num_elements);
    return cudaGetLastError();
}
