// Functions become arithmetic in every kind of region.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --no-fma %s | FileCheck %s --check-prefix=NOFMA
// RUN: nereid-expand --exp2 %s | FileCheck %s --check-prefix=EXP2
// RUN: nereid-expand --scale %s | FileCheck %s --check-prefix=SCALE
// RUN: nereid-expand --scale --fraction %s | FileCheck %s --check-prefix=FRACTION
// RUN: nereid-expand --exponents %s | FileCheck %s --check-prefix=EXPONENTS
// RUN: nereid-expand --tables %s | FileCheck %s --check-prefix=TABLES

// CHECK-LABEL: tt.func @scalar
// CHECK-NOT: math.exp
// CHECK-COUNT-10: math.fma {{.*}} : f32
// CHECK: tt.return
// EXP2-LABEL: tt.func @scalar
// EXP2-COUNT-1: math.exp2 {{.*}} : f32
// EXP2-NOT: math.exp2
// EXP2: tt.return
// SCALE-LABEL: tt.func @scalar
// SCALE-NOT: arith.shli
// SCALE: tt.extern_elementwise {{.*}}symbol = "nereid.scale"
// SCALE-NEXT: tt.return
// NOFMA-LABEL: tt.func @scalar
// NOFMA-NOT: math.fma
// NOFMA: tt.return
tt.func @scalar(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  tt.return %0 : f32
}

// One constant per value, however often it is used.
// CHECK-LABEL: tt.func @tensor
// CHECK-COUNT-1: arith.constant dense<1.000000e+00> : tensor<8x16xf64>
// CHECK-NOT: dense<1.000000e+00>
// CHECK-NOT: math.log
// CHECK: tt.return
tt.func @tensor(%x: tensor<8x16xf64>) -> tensor<8x16xf64> {
  %0 = math.log %x : tensor<8x16xf64>
  %1 = math.log %0 : tensor<8x16xf64>
  tt.return %1 : tensor<8x16xf64>
}

// FRACTION-LABEL: tt.func @power_of_two
// FRACTION: %[[R:.*]] = tt.extern_elementwise %arg0 {{.*}}symbol = "nereid.fraction"
// FRACTION-COUNT-6: math.fma
// FRACTION: %[[N:.*]] = arith.subf %arg0, %[[R]]
// FRACTION-NEXT: tt.extern_elementwise {{.*}}, %[[N]], {{.*}}symbol = "nereid.scale"
// FRACTION-NEXT: tt.return
tt.func @power_of_two(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.exp2 %x : tensor<64xf32>
  tt.return %0 : tensor<64xf32>
}

// An exponent that is infinite needs no special case.
// EXPONENTS-LABEL: tt.func @logarithm
// EXPONENTS-DAG: tt.extern_elementwise %arg0 {{.*}}symbol = "nereid.exponent"
// EXPONENTS-DAG: tt.extern_elementwise %arg0 {{.*}}symbol = "nereid.significand"
// EXPONENTS-COUNT-2: arith.select
// EXPONENTS-NOT: arith.select
// EXPONENTS: tt.return
tt.func @logarithm(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.log %x : tensor<64xf32>
  tt.return %0 : tensor<64xf32>
}

// The constants of a region are created inside it.
// CHECK-LABEL: tt.func @region
// CHECK: "tt.reduce"
// CHECK-NEXT: ^bb0
// CHECK: arith.constant
// CHECK-NOT: math.exp2
// CHECK: tt.reduce.return
tt.func @region(%x: tensor<64xf32>) -> f32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = math.exp2 %b : f32
    %2 = arith.addf %a, %1 : f32
    tt.reduce.return %2 : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %0 : f32
}

// Operations that targets have are unchanged.
// CHECK-LABEL: tt.func @kept
// CHECK: math.sqrt
// CHECK-NEXT: math.floor
// CHECK-NEXT: math.fma
// CHECK-NEXT: math.absf
// CHECK-NEXT: tt.return
tt.func @kept(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.fma %1, %0, %x : f32
  %3 = math.absf %2 : f32
  tt.return %3 : f32
}

// Coefficients of a polynomial come from tables, but not in f64.
// TABLES-LABEL: tt.func @error_function
// TABLES: arith.bitcast {{.*}} : tensor<64xf32> to tensor<64xi32>
// TABLES-COUNT-6: tt.extern_elementwise {{.*}} {{.*}}nereid.numbers = array<f32: {{.*}}symbol = "nereid.table"
// TABLES-NOT: nereid.table
// TABLES: tt.return
// CHECK-LABEL: tt.func @error_function
// CHECK-NOT: nereid.table
// CHECK: tt.return
tt.func @error_function(%x: tensor<64xf32>, %y: tensor<8xf64>) -> (tensor<64xf32>, tensor<8xf64>) {
  %0 = math.erf %x : tensor<64xf32>
  %1 = math.erf %y : tensor<8xf64>
  tt.return %0, %1 : tensor<64xf32>, tensor<8xf64>
}
