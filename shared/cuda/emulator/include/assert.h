// Stands before the C library's <assert.h>: an assertion that fails in a kernel is a fault with a
// thread and a block. No include guard: like the standard's, it may be included again.
#include "emulator/interface.h"

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : cuda_emulator::assertion_failed(#condition, __FILE__, __LINE__))
#endif
