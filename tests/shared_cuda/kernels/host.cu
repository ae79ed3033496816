// What launchers do on the host, and the streams that they launch on.
#include <cuda_runtime.h>

#include <vector>

__global__ void scale_kernel(float* x, float factor) { x[threadIdx.x] *= factor; }
__global__ void empty_kernel() {}

extern "C" int reads(const float* x, float* out, int at, cudaStream_t stream) {
  scale_kernel<<<1, 1, 0, stream>>>(out, 1.0f);
  float sum = 0.0f;
  for (int i = 0; i < 4; i++) sum += x[at + i];
  return (int)sum;
}
extern "C" int writes(float* x, cudaStream_t stream) {
  for (int i = 0; i < 4; i++) x[i] = 2.0f;
  return 0;
}
extern "C" int writes_its_own(cudaStream_t stream) {
  float* own;
  cudaMalloc(&own, 64);
  own[0] = 1.0f;
  return 0;
}
extern "C" int copies(float* x, cudaStream_t stream) {
  std::vector<float> host(4);
  float* twice;
  cudaMalloc(&twice, 16);
  cudaMemcpy(host.data(), x, 16, cudaMemcpyDeviceToHost);
  for (float& value : host) value += 1.0f;
  cudaMemcpyAsync(twice, host.data(), 16, cudaMemcpyHostToDevice, stream);
  scale_kernel<<<1, 4, 0, stream>>>(twice, 2.0f);
  cudaMemcpyAsync(x, twice, 16, cudaMemcpyDeviceToDevice, stream);
  cudaMemset(x, 0, 4);
  cudaStreamSynchronize(stream);
  return cudaFree(twice);
}
extern "C" int managed(cudaStream_t stream) {
  float* x;
  cudaMallocManaged(&x, 8);
  x[0] = x[1] = 3.0f;
  scale_kernel<<<1, 2, 0, stream>>>(x, 2.0f);
  cudaStreamSynchronize(stream);
  int sum = (int)(x[0] + x[1]);
  cudaFree(x);
  return sum;
}
// Which stream: 0 the given one, 1 none, 2 the null stream, 3 an own one, 4 none by cudaLaunchKernel.
extern "C" int streams(int which, cudaStream_t stream) {
  cudaStream_t used = stream;
  if (which == 2) used = nullptr;
  if (which == 3) cudaStreamCreate(&used);
  if (which == 1) {
    empty_kernel<<<1, 1>>>();
    empty_kernel<<<1, 1>>>();
  } else if (which == 4) {
    cudaLaunchKernel((const void*)empty_kernel, dim3(1), dim3(1), nullptr, 0);
  } else {
    empty_kernel<<<1, 1, 0, used>>>();
  }
  if (which == 3) {
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaEventRecord(done, used);
    cudaStreamWaitEvent(stream, done, 0);
    cudaStreamDestroy(used);
  }
  return cudaStreamSynchronize(stream) || cudaGetLastError() || stream == nullptr;
}
extern "C" int without(int unused) {
  empty_kernel<<<1, 1>>>();
  return cudaGetLastError();
}
