// TTOpDefs.cpp: one part of the generated operation classes.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

// Compiled several times, with GET_OP_DEFS_<n> set on the command line: as one
// file the generated code would be the slowest part of the build.
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;

#include "nereid/ttir/TTOps.cpp.inc"
