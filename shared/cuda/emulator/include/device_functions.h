// Everything is declared by one header.
#pragma once
#include "cuda_runtime.h"
