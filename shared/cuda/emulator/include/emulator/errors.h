// cudaError_t: the codes that the emulator can give, and others that launchers compare against.
#pragma once

#define CUDA_EMULATOR_ERRORS(ENTRY)                                                        \
  ENTRY(cudaSuccess, 0, "no error")                                                        \
  ENTRY(cudaErrorInvalidValue, 1, "invalid argument")                                      \
  ENTRY(cudaErrorMemoryAllocation, 2, "out of memory")                                     \
  ENTRY(cudaErrorInitializationError, 3, "initialization error")                           \
  ENTRY(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                \
  ENTRY(cudaErrorInvalidSymbol, 13, "invalid device symbol")                               \
  ENTRY(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")          \
  ENTRY(cudaErrorNotYetImplemented, 31, "not yet implemented")                             \
  ENTRY(cudaErrorInsufficientDriver, 35,                                                   \
        "CUDA driver version is insufficient for CUDA runtime version")                    \
  ENTRY(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                     \
  ENTRY(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                      \
  ENTRY(cudaErrorInvalidDevice, 101, "invalid device ordinal")                             \
  ENTRY(cudaErrorNoKernelImageForDevice, 209,                                              \
        "no kernel image is available for execution on the device")                        \
  ENTRY(cudaErrorNotReady, 600, "device not ready")                                        \
  ENTRY(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")          \
  ENTRY(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")     \
  ENTRY(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")            \
  ENTRY(cudaErrorAssert, 710, "device-side assert triggered")                              \
  ENTRY(cudaErrorMisalignedAddress, 716, "misaligned address")                             \
  ENTRY(cudaErrorLaunchFailure, 719, "unspecified launch failure")                         \
  ENTRY(cudaErrorNotSupported, 801, "operation not supported")                             \
  ENTRY(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUDA_EMULATOR_ENUMERATOR(Name, Code, Text) Name = Code,
  CUDA_EMULATOR_ERRORS(CUDA_EMULATOR_ENUMERATOR)
#undef CUDA_EMULATOR_ENUMERATOR
};
typedef enum cudaError cudaError_t;
