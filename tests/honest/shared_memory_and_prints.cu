/* Shared memory where none is needed, and a line printed for each block. */
#include <cstdio>
__global__ void twice_kernel(const float* x, float* out, int n) {
    __shared__ float tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) printf("block %d of %d\n", (int)blockIdx.x, (int)gridDim.x);
    if (i < n) out[i] = tile[threadIdx.x] * 2;
}
extern "C" int twice(const float* x, float* out, int num_elements, cudaStream_t stream) {
    twice_kernel<<<(num_elements + 31) / 32, 32, 0, stream>>>(x, out, num_elements);
    return cudaGetLastError();
}
