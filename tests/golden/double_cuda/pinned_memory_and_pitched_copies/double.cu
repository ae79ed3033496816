__global__ void twice_kernel(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}

extern "C" int twice(const float* x, float* out, int num_elements, cudaStream_t stream) {
    float* pinned;
    float* scratch;
    size_t bytes = num_elements * sizeof(float);
    cudaMallocHost(&pinned, bytes);
    cudaMalloc(&scratch, bytes);
    cudaMemcpyAsync(pinned, x, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    pinned[0] = pinned[0] + 0.0f;
    cudaMemcpy2DAsync(scratch, bytes, pinned, bytes, bytes, 1, cudaMemcpyHostToDevice, stream);
    int least, greatest;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStream_t own;
    cudaStreamCreateWithPriority(&own, 0, greatest);
    twice_kernel<<<(num_elements + 127) / 128, 128, 0, own>>>(scratch, out, num_elements);
    cudaStreamSynchronize(own);
    cudaStreamDestroy(own);
    cudaFree(scratch);
    cudaFreeHost(pinned);
    return cudaGetLastError();
}
