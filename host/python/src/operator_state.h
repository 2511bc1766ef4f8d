// operator_state.h - what a callable operator has, and what one call of it has.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_OPERATOR_STATE_H
#define NEREID_PYTHON_OPERATOR_STATE_H

#include "operator_call.h"
#include "tensors.h"

#include <map>
#include <memory>

namespace nereid::python {

struct OperatorInput {
  std::string name;
  bool isOptional, isList;
};

struct OperatorAttribute {
  std::string name, type;
  bool isNullable;
};

/// The operator on one device.
struct OperatorOnDevice {
  int32_t type, number; // DLPack's
  nereid_operator_t *op;
  OpsDeviceObject *device;
  std::map<void *, nereid_stream_t> streams; // imported, by the library's
};

struct Operator {
  std::string name;
  std::vector<OperatorInput> inputs;
  std::vector<OperatorAttribute> attributes;
  std::vector<std::string> outputs;
  Ref hooks, classify;
  std::vector<std::unique_ptr<OperatorOnDevice>> devices;
};

/// The names of attributes and of methods of the hooks.
struct OperatorNames {
  PyObject *requiresGrad, *isNegative, *dispatch, *findDevice, *allocate, *copy,
      *importStream;
};
extern OperatorNames operatorNames;

/// Functions of torch: whether a call has to go through its dispatcher, and
/// that tensors were written to, for autograd.
struct TorchFunctions {
  PyObject *isGradEnabled, *countModes, *findTransform, *incrementVersion;
};
extern TorchFunctions torchFunctions;

/// The structs of one call. Their memory is kept for the thread's next call.
struct OperatorCall {
  struct Read {
    PyObject *object;
    const TensorClass *from;
    dlpack::Tensor tensor;
  };
  std::vector<Read> tensors; // inputs, then outputs that are given
  std::vector<const nereid_tensor_t *> pointers;
  std::vector<nereid_tensor_argument_t> inputs, outputs;
  std::vector<nereid_value_t> attributes;
  std::vector<std::vector<int64_t>> lists;
  std::vector<Ref> kept;
  std::vector<PyObject *> given;   // by output; borrowed
  std::vector<Ref> made;           // by output
  std::vector<bool> isOverlapping; // by output: computed aside, then copied
  size_t inputCount = 0;

  void clear(const Operator &op) {
    tensors.clear();
    pointers.clear();
    inputs.clear();
    outputs.clear();
    attributes.clear();
    lists.clear();
    kept.clear();
    given.assign(op.outputs.size(), nullptr);
    made.clear();
    made.resize(op.outputs.size());
    isOverlapping.assign(op.outputs.size(), false);
    inputCount = 0;
  }
};

// Where these return false or null, a Python error is set.

/// Notes the tensors of the inputs and of `out`, without reading them.
bool noteTensors(Operator &op, OperatorCall &call, PyObject *const *args);
/// Reads those that are noted.
bool readTensors(Operator &op, OperatorCall &call);
bool readAttributes(const Operator &op, OperatorCall &call,
                    PyObject *const *args);

/// 1 if torch has to see the call: an input needs a gradient, its class
/// overrides operators, or a mode of torch's is active. -1 with an error set.
int needsDispatch(const OperatorCall &call);

/// The operator where the first tensor is.
OperatorOnDevice *findDevice(Operator &op, const OperatorCall &call);

/// The stream that the program works on: what it set with nereid, else that of
/// the tensors' library.
bool findStream(Operator &op, const OperatorCall &call, OperatorOnDevice &on,
                nereid_stream_t &out);

/// What allocateOutput() gets as its user data.
struct OperatorAllocation {
  Operator &op;
  OperatorCall &call;
  PyThreadState *released; // the GIL's while the operator runs
};

/// An allocator of outputs, for nereid_operator_call().
nereid_status_t allocateOutput(void *user, nereid_string_t name,
                               const nereid_tensor_t *wanted,
                               nereid_tensor_t *out);

/// What the caller gets: out, or the tensors that were made.
PyObject *resultsOf(Operator &op, OperatorCall &call);

/// Operator.__call__ and its methods `run` and `explain`.
PyObject *callOperator(PyObject *object, PyObject *const *args, size_t flags,
                       PyObject *keywords);
PyObject *runOperator(PyObject *object, PyObject *const *args,
                      Py_ssize_t count);
PyObject *explainOperator(PyObject *object, PyObject *const *args,
                          Py_ssize_t count);

struct OperatorObject {
  PyObject_HEAD vectorcallfunc call;
  Operator *op;
};

} // namespace nereid::python

#endif // NEREID_PYTHON_OPERATOR_STATE_H
