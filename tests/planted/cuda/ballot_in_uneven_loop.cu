// EXPECTED: warp
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 40
// Lanes vote in a loop that some of them have left.
#include <cuda_runtime.h>

__global__ void votes(const float* x, float* out, int n) {
  int count = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    count += __popc(__ballot_sync(0xffffffff, x[i] > 0));  // BUG
  __syncwarp();
  for (int i = threadIdx.x; i < n; i += 32) out[i] = count;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  votes<<<1, 32, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
