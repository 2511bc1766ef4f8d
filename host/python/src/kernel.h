// kernel.h - a loaded kernel: what a launch needs, resolved once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_KERNEL_H
#define NEREID_PYTHON_KERNEL_H

#include "arguments.h"

#include <atomic>
#include <vector>

namespace nereid::python {

struct KernelObject {
  PyObject_HEAD
  nereid_function_t *function;
  PyObject *backend; // kept alive
  std::vector<Slot> *slots;
  uint64_t blockSize;
  uint32_t device;
  // Nanoseconds of the last launch by its programs; 0: unknown. Launches on
  // several threads write it, with and without the interpreter's lock.
  std::atomic<double> programTime;
};

extern PyTypeObject *kernelType;
bool addKernelType(PyObject *module);

/// Loads \p compiled on \p device; raises on failure.
PyObject *loadKernel(PyObject *backendObject, nereid_backend_t *backend,
                     uint32_t device, const nereid_compiled_t *compiled);

/// Memory for a packed block: on the stack unless it is large.
class Block {
public:
  explicit Block(uint64_t size)
      : memory(size <= sizeof local
                   ? local
                   : static_cast<char *>(PyMem_Calloc(1, size))) {}
  ~Block() {
    if (memory != local)
      PyMem_Free(memory);
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  /// Null if there is no memory.
  char *get() { return memory; }

private:
  alignas(16) char local[512];
  char *memory;
};

struct Grid {
  uint32_t x, y, z;
};

/// Reads one number of a grid; what is below zero is no program, as in Triton.
bool readGridSize(PyObject *object, uint32_t &out);

/// Launches with a packed block; raises and false on failure.
bool launch(KernelObject *kernel, Grid grid, nereid_stream_t stream,
            const char *block);

} // namespace nereid::python

#endif // NEREID_PYTHON_KERNEL_H
