// VALUES: positive
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 300
// The number of positive elements by __syncthreads_count, and by ballots.
#include <cuda_runtime.h>

__global__ void count(const float* x, float* out, int n) {
  __shared__ int by_ballot;
  int t = threadIdx.x, found = 0, voted = 0;
  if (t == 0) by_ballot = 0;
  for (int start = 0; start < n; start += blockDim.x) {
    bool positive = start + t < n && x[start + t] > 0;
    found += __syncthreads_count(positive);
    voted += __popc(__ballot_sync(0xffffffff, positive));
  }
  if (t % 32 == 0) atomicAdd(&by_ballot, voted);
  int same = __syncthreads_and(found >= 0);
  if (t == 0) out[0] = by_ballot == found && same ? found : -1;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  count<<<1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
