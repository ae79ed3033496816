/* Two kernels with memory of its own between them, allocated and freed in the launcher; Umlaute in comments: größer. */
__global__ void copy_kernel(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void add_kernel(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += from[i];
}
extern "C" int twice(const float* x, float* out, int num_elements, cudaStream_t stream) {
    float* temporary = nullptr;
    if (cudaError_t error = cudaMalloc(&temporary, num_elements * sizeof(float))) return error;
    int blocks = (num_elements + 127) / 128;
    copy_kernel<<<blocks, 128, 0, stream>>>(x, temporary, num_elements);
    copy_kernel<<<blocks, 128, 0, stream>>>(temporary, out, num_elements);
    add_kernel<<<blocks, 128, 0, stream>>>(temporary, out, num_elements);
    cudaStreamSynchronize(stream);
    cudaFree(temporary);
    return cudaGetLastError();
}
