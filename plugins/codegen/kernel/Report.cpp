// Report.cpp - values and messages in the types of the ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/Report.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid::codegen {

char RefusedError::ID;

void RefusedError::log(llvm::raw_ostream &stream) const {
  stream << "the host did not take the result (status " << status << ")";
}

static llvm::Error check(nereid_status_t status) {
  if (status == NEREID_OK)
    return llvm::Error::success();
  return llvm::make_error<RefusedError>(status);
}

llvm::Error Report::write(llvm::StringRef bytes) const {
  return check(output->write(output, bytes.data(), bytes.size()));
}

static nereid_value_t makeValue(llvm::StringRef name, nereid_type_t type) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = type;
  return value;
}

llvm::Error Report::add(llvm::StringRef name, int64_t number) const {
  nereid_value_t value = makeValue(name, NEREID_TYPE_I64);
  value.i64 = number;
  return check(metadata->add(metadata, &value));
}

llvm::Error Report::add(llvm::StringRef name, llvm::StringRef text) const {
  nereid_value_t value = makeValue(name, NEREID_TYPE_STRING);
  value.text = borrow(text);
  return check(metadata->add(metadata, &value));
}

llvm::Error Report::add(llvm::StringRef name,
                        llvm::ArrayRef<nereid_string_t> values) const {
  nereid_value_t value = makeValue(name, NEREID_TYPE_STRING_LIST);
  value.list = values.data();
  value.list_size = values.size();
  return check(metadata->add(metadata, &value));
}

llvm::Error Report::add(llvm::StringRef name,
                        llvm::ArrayRef<int64_t> values) const {
  nereid_value_t value = makeValue(name, NEREID_TYPE_I64_LIST);
  value.list = values.data();
  value.list_size = values.size();
  return check(metadata->add(metadata, &value));
}

void Report::diagnose(nereid_severity_t severity, llvm::StringRef message,
                      llvm::StringRef file, unsigned line,
                      unsigned column) const {
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = borrow(message);
  // The host knows the name of its input.
  if (file != kInputName)
    diagnostic.file = borrow(file);
  diagnostic.line = line;
  diagnostic.column = column;
  call->report(call, &diagnostic);
  hasError |= severity == NEREID_SEVERITY_ERROR;
}

} // namespace nereid::codegen
