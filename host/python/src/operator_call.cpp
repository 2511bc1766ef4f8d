// operator_call.cpp - calls operators with the tensors of Python libraries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// What concerns torch or numpy alone is decided by the methods of `hooks`, an
// object of nereid/ops/_calling.py: a call that was made before asks none of
// them.

#include "operator_state.h"

namespace nereid::python {

static Operator &operatorOf(PyObject *object) {
  return *reinterpret_cast<OperatorObject *>(object)->op;
}

static nereid_operator_call_t requestOf(OperatorCall &call,
                                        nereid_stream_t stream) {
  nereid_operator_call_t request = {};
  request.struct_size = sizeof request;
  request.inputs = call.inputs.data();
  request.input_count = call.inputs.size();
  request.outputs = call.outputs.data();
  request.output_count = call.outputs.size();
  request.attributes = call.attributes.data();
  request.attribute_count = call.attributes.size();
  request.stream = stream;
  return request;
}

static PyObject *run(Operator &op, OperatorCall &call) {
  if (!readTensors(op, call))
    return nullptr;
  OperatorOnDevice *on = findDevice(op, call);
  nereid_stream_t stream = 0;
  if (!on || !findStream(op, call, *on, stream))
    return nullptr;
  nereid_operator_call_t request = requestOf(call, stream);
  OperatorAllocation allocation = {op, call, nullptr};
  nereid_tensor_allocator_t allocator = {};
  allocator.struct_size = sizeof allocator;
  allocator.user = &allocation;
  allocator.allocate = allocateOutput;
  request.allocator = &allocator;
  std::string reason;
  allocation.released = PyEval_SaveThread(); // kernels run in here
  nereid_status_t status = nereid_operator_call(on->op, &request);
  // The caller may read the host's memory at once.
  if (!status && on->type == dlpack::kCpu && !on->device->isSynchronous)
    status = nereid_backend_synchronize(on->device->backend, on->device->device,
                                        stream);
  if (status)
    reason = view(nereid_error());
  PyEval_RestoreThread(allocation.released);
  if (PyErr_Occurred()) // of the allocator
    return nullptr;
  return status ? raise(status, reason) : resultsOf(op, call);
}

static bool checkCount(const Operator &op, Py_ssize_t count) {
  size_t wanted = op.inputs.size() + op.attributes.size() + 1;
  if (count == Py_ssize_t(wanted))
    return true;
  PyErr_Format(PyExc_TypeError,
               "%s: %zd arguments, expected %zu: inputs, attributes, out",
               op.name.c_str(), count, wanted);
  return false;
}

static PyObject *callWith(PyObject *object, PyObject *const *args,
                          Py_ssize_t count, bool mayDispatch) {
  Operator &op = operatorOf(object);
  if (!checkCount(op, count))
    return nullptr;
  thread_local OperatorCall kept;
  OperatorCall call = std::move(kept); // an allocator may call operators
  call.clear(op);
  PyObject *result = nullptr;
  if (noteTensors(op, call, args) && readAttributes(op, call, args)) {
    int isDispatched = mayDispatch ? needsDispatch(call) : 0;
    if (isDispatched > 0) {
      Ref name(toStr(op.name));
      Ref list(PyTuple_New(count));
      for (Py_ssize_t i = 0; list && i < count; ++i)
        PyTuple_SET_ITEM(list.get(), i, Ref::borrow(args[i]).release());
      result =
          PyObject_CallMethodObjArgs(op.hooks.get(), operatorNames.dispatch,
                                     name.get(), list.get(), nullptr);
    } else if (isDispatched == 0) {
      result = run(op, call);
    }
  }
  call.clear(op); // while the interpreter is there to release objects
  kept = std::move(call);
  return result;
}

PyObject *callOperator(PyObject *object, PyObject *const *args, size_t flags,
                       PyObject *keywords) {
  if (keywords)
    return PyErr_Format(PyExc_TypeError, "an operator takes no keywords here");
  return callWith(object, args, PyVectorcall_NARGS(flags), true);
}

PyObject *runOperator(PyObject *object, PyObject *const *args,
                      Py_ssize_t count) {
  return callWith(object, args, count, false);
}

PyObject *explainOperator(PyObject *object, PyObject *const *args,
                          Py_ssize_t count) {
  Operator &op = operatorOf(object);
  if (!checkCount(op, count))
    return nullptr;
  OperatorCall call;
  call.clear(op);
  if (!noteTensors(op, call, args) || !readTensors(op, call) ||
      !readAttributes(op, call, args))
    return nullptr;
  OperatorOnDevice *on = findDevice(op, call);
  if (!on)
    return nullptr;
  nereid_operator_call_t request = requestOf(call, 0);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_operator_explain(on->op, &request, &json);
  return takeText(status, json);
}

} // namespace nereid::python
