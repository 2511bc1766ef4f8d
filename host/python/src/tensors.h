// tensors.h - tensors of Python libraries in DLPack's layout.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_TENSORS_H
#define NEREID_PYTHON_TENSORS_H

#include "dlpack.h"
#include "object.h"

#include <vector>

namespace nereid::python {

/// What nereid.ops knows about a class of tensors.
struct TensorClass {
  enum Kind {
    Torch,      ///< torch.Tensor itself: read directly
    TorchClass, ///< another class of torch: its own dispatch decides
    Other       ///< anything with __dlpack__
  };
  PyTypeObject *type;
  Kind kind;
  dlpack::Exchange *exchange; // of Torch
};

/// The class of \p object; null with an exception set if it is not a tensor.
/// \p classify (type) -> (kind, capsule or None) is asked once for each class.
const TensorClass *classOf(PyObject *object, PyObject *classify, const char *op,
                           const char *name);

/// Reads \p object. What has to live until the end of the call is added to
/// \p kept. False with an exception set.
bool readTensor(PyObject *object, const TensorClass &from, bool isWritten,
                dlpack::Tensor &out, std::vector<Ref> &kept);

/// An uninitialized tensor like \p wanted; null with an exception set.
PyObject *makeTensor(const dlpack::Exchange &exchange,
                     const dlpack::Tensor &wanted, void *&outData);

/// The bytes that \p tensor may touch.
struct Extent {
  const char *begin = nullptr, *end = nullptr;
  bool overlaps(const Extent &other) const {
    return begin < other.end && other.begin < end;
  }
};
Extent extentOf(const dlpack::Tensor &tensor);

/// Whether elements of \p tensor certainly share memory.
bool isExpanded(const dlpack::Tensor &tensor);

} // namespace nereid::python

#endif // NEREID_PYTHON_TENSORS_H
