// ProgramOrder.h - the order of values in the text of a program.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_PROGRAMORDER_H
#define NEREID_CODEGEN_ANALYSIS_PROGRAMORDER_H

#include "mlir/IR/Value.h"

namespace nereid::codegen {

/// A strict order of the values of one function: values of outer regions come
/// first, otherwise the program text decides. Unlike the order of addresses it
/// is the same in every run.
bool isBefore(mlir::Value a, mlir::Value b);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_PROGRAMORDER_H
