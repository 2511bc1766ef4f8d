// Kernels with types that the target lacks are an error, reported once.
// RUN: split-file %s %t
// RUN: not nereid-expand --no-f64 %t/double.mlir 2>&1 | FileCheck %s --check-prefix=DOUBLE
// RUN: not nereid-expand --no-i64 %t/long.mlir 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: nereid-expand %t/double.mlir
// RUN: nereid-expand --no-f64 %t/long.mlir
// RUN: not nereid-expand --no-libm %t/library.mlir 2>&1 | FileCheck %s --check-prefix=LIBRARY

// DOUBLE: double.mlir":3:8): error: a value of type 'tensor<8xf64>', but the target has no f64
// DOUBLE-NOT: error
// LONG: long.mlir":2:12): error: a value of type 'i64', but the target has no i64
// LONG-NOT: error
// LIBRARY: library.mlir":2:8): error: needs 'tgamma' of the C library, which the target does not have

//--- double.mlir
tt.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<1.0> : tensor<8xf32>
  %0 = arith.extf %x : tensor<8xf32> to tensor<8xf64>
  %1 = math.exp %0 : tensor<8xf64>
  %2 = arith.truncf %1 : tensor<8xf64> to tensor<8xf32>
  tt.return %2 : tensor<8xf32>
}

//--- long.mlir
// An argument is a value too.
tt.func @f(%x: i64) -> i64 {
  %0 = arith.addi %x, %x : i64
  tt.return %0 : i64
}

//--- library.mlir
tt.func @f(%x: f64) -> f64 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tgamma"} : (f64) -> f64
  tt.return %0 : f64
}
