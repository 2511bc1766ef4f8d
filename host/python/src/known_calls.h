// known_calls.h - the calls of one JITFunction that Triton has answered.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_KNOWN_CALLS_H
#define NEREID_PYTHON_KNOWN_CALLS_H

#include "kernel.h"
#include "specialization.h"

namespace nereid::python {

/// One call as it came, and how it reads: `arguments` in the order of the
/// function's parameters, then options.
struct Call {
  PyObject *function, *grid;
  PyObject *const *args;
  Py_ssize_t count; // of args without a name
  PyObject *names;  // of the others; null for none

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

/// A call that Triton has answered.
struct KnownCall {
  uint64_t hash;
  std::vector<Argument> arguments{};
  std::vector<std::pair<Ref, Argument>> options;
  std::vector<Ref> owned;    // constants that arguments refer to
  Ref key;                   // in Triton's cache of compiled kernels
  Ref compiled;              // a weak reference to what is there
  Ref loaded;                // its KernelObject
  Ref launcher;              // Triton's, which launches it
  std::vector<bool> reaches; // per parameter: an argument of the kernel
};

/// Owns nothing that owns the function, which could not be freed otherwise.
class KnownCalls {
public:
  /// \p parameters: a tuple of (name, is constant[, default]). Anything else
  /// makes a function whose calls are not read.
  explicit KnownCalls(PyObject *parameters);

  /// Gives each parameter its argument; false if Triton has to look.
  bool read(Call &call, const TensorTypes &types) const;
  /// The call that is alike, if Triton would still find what it compiled then
  /// in its caches for \p device: nobody has cleared them. \p compiled is that.
  const KnownCall *find(const Call &call, PyObject *device,
                        Ref &compiled) const;
  /// Remembers that Triton answered \p call, which was read, with
  /// \p compiled.
  void learn(const Call &call, PyObject *device, PyObject *compiled);

  const std::vector<CallParameter> &parameters() const { return described; }

private:
  Py_ssize_t indexOf(PyObject *name) const;

  std::vector<CallParameter> described;
  std::vector<KnownCall> calls;
  bool isReadable = false;
};

/// Makes the names that this file asks for.
bool makeCallNames();

} // namespace nereid::python

#endif // NEREID_PYTHON_KNOWN_CALLS_H
