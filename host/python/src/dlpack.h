// dlpack.h - what this package uses of DLPack 1.x, whose layouts do not change.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_DLPACK_H
#define NEREID_PYTHON_DLPACK_H

#include "nereid/ops.h"

namespace nereid::python::dlpack {

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;

/// DLTensor.
using Tensor = nereid_tensor_t;

struct Version {
  uint32_t major, minor;
};

/// DLManagedTensorVersioned, in capsules called "dltensor_versioned".
struct Versioned {
  Version version;
  void *context;
  void (*deleter)(Versioned *self);
  uint64_t flags;
  Tensor tensor;
};

/// DLManagedTensor, in capsules called "dltensor".
struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *self);
};

/// DLPackExchangeAPI: a library's functions for its own type of tensor, in a
/// capsule called "dlpack_exchange_api". None of them throws.
struct Exchange {
  Version version;
  Exchange *previous;
  int (*allocate)(Tensor *prototype, Versioned **out, void *context,
                  void (*fail)(void *context, const char *kind,
                               const char *message));
  int (*exportManaged)(void *object, Versioned **out);
  int (*import)(Versioned *stolen, void **outObject);
  int (*read)(void *object, Tensor *out); // borrowed; may be null
  int (*currentStream)(int32_t deviceType, int32_t device, void **out);
};

} // namespace nereid::python::dlpack

#endif // NEREID_PYTHON_DLPACK_H
