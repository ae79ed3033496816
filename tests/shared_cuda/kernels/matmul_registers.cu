// 64x64 outputs a block, 4x4 a thread; sizes must be multiples of 64 and 16.
#include <cuda_runtime.h>

constexpr int BM = 64, BN = 64, BK = 16;

__global__ void __launch_bounds__(256)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                  int N, int K) {
  __shared__ __align__(16) float As[2][BK][BM + 4];
  __shared__ alignas(16) float Bs[2][BK][BN];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int ar = tid / 4, ac = tid % 4 * 4, br = tid / 16, bc = tid % 16 * 4;
  float acc[4][4] = {};
  auto fetch = [&](int k0, int stage) {
    float4 a = *reinterpret_cast<const float4*>(&A[(row0 + ar) * K + k0 + ac]);
    As[stage][ac + 0][ar] = a.x;
    As[stage][ac + 1][ar] = a.y;
    As[stage][ac + 2][ar] = a.z;
    As[stage][ac + 3][ar] = a.w;
    *reinterpret_cast<float4*>(&Bs[stage][br][bc]) =
        __ldg(reinterpret_cast<const float4*>(&B[(k0 + br) * N + col0 + bc]));
  };
  fetch(0, 0);
  __syncthreads();
  for (int k0 = 0, stage = 0; k0 < K; k0 += BK, stage ^= 1) {
    if (k0 + BK < K) fetch(k0 + BK, stage ^ 1);
#pragma unroll
    for (int k = 0; k < BK; k++) {
      float a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; i++) a[i] = As[stage][k][ty * 4 + i];
      *reinterpret_cast<float4*>(b) = *reinterpret_cast<float4*>(&Bs[stage][k][tx * 4]);
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    *reinterpret_cast<float4*>(&C[(row0 + ty * 4 + i) * N + col0 + tx * 4]) =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

extern "C" int matmul(const float* a, const float* b, float* c, int m, int n, int k,
                      cudaStream_t stream) {
  matmul_kernel<<<dim3(n / BN, m / BM), 256, 0, stream>>>(a, b, c, n, k);
  return (int)cudaGetLastError();
}
