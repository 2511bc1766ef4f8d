// known_calls.h - the calls of one JITFunction that Triton has compiled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_KNOWN_CALLS_H
#define NEREID_PYTHON_KNOWN_CALLS_H

#include "kernel.h"
#include "specialization.h"

namespace nereid::python {

/// One call as it was made, and as it was read: `arguments` in the order of the
/// parameters of the function, then options.
struct Call {
  PyObject *function, *grid;
  PyObject *const *args;
  Py_ssize_t count; // of positional arguments
  PyObject *names;  // of the keyword arguments; null for none
  // The key of Triton's compiled kernels for the device.
  PyObject *device = nullptr;
  long number = -1; // of the device among several

  std::vector<Argument> arguments{};
  std::vector<std::pair<PyObject *, Argument>> options{};
  uint64_t hash = 0;
};

/// A parameter of a JITFunction.
struct CallParameter {
  Ref name;
  Ref otherwise; // the default; null if there is none
  bool isConstant;
};

/// A call that Triton has compiled and launched.
struct KnownCall {
  uint64_t hash;
  Ref device;
  std::vector<Argument> arguments{};
  std::vector<std::pair<Ref, Argument>> options;
  std::vector<Ref> owned;    // constants that arguments refer to
  Ref key;                   // in Triton's cache of compiled kernels
  Ref compiled;              // a weak reference to the kernel there
  Ref loaded;                // its KernelObject
  Ref launcher;              // Triton's launcher of it
  std::vector<bool> reaches; // per parameter: an argument of the kernel
};

/// Owns nothing that refers to the function: the cycle would keep it alive.
class KnownCalls {
public:
  /// \p parameters: a tuple of (name, is constant[, default]). With any other
  /// object, no call can be read.
  explicit KnownCalls(PyObject *parameters);

  /// Assigns an argument to each parameter; false if the call has to go to
  /// Triton.
  bool read(Call &call, const TensorTypes &types) const;
  /// The known call that is equal, if its kernel is still in Triton's cache;
  /// null otherwise. Sets \p compiled to that kernel.
  const KnownCall *find(const Call &call, Ref &compiled) const;
  /// Records that Triton compiled \p call, which was read, to \p compiled.
  void learn(const Call &call, PyObject *compiled);

  const std::vector<CallParameter> &parameters() const { return described; }

private:
  Py_ssize_t indexOf(PyObject *name) const;

  std::vector<CallParameter> described;
  std::vector<KnownCall> calls;
  bool isReadable = false;
};

/// Creates the names of the attributes that this file reads.
bool makeCallNames();

} // namespace nereid::python

#endif // NEREID_PYTHON_KNOWN_CALLS_H
