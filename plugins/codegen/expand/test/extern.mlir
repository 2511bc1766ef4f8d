// External functions become arithmetic or calls of the C library.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --no-fma %s | FileCheck %s --check-prefix=NOFMA

// CHECK-LABEL: tt.func @tile
// CHECK-NOT: tt.extern_elementwise
// CHECK: math.copysign
// CHECK: tt.return
tt.func @tile(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  tt.return %0 : tensor<8x16xf32>
}

// A function that does not write memory is treated as pure.
// CHECK-LABEL: tt.func @scalar
// CHECK-NEXT: math.ctpop
// CHECK-NEXT: arith.trunci {{.*}} : i64 to i32
// CHECK-NEXT: tt.return
tt.func @scalar(%x: i64) -> i32 {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "__nv_popcll"} : (i64) -> i32
  tt.return %0 : i32
}

// A predicate is an i1, or an i32 if the call has that type.
// CHECK-LABEL: tt.func @predicate
// CHECK: arith.cmpf uno
// CHECK: arith.extui {{.*}} : i1 to i32
tt.func @predicate(%x: f32) -> (i1, i32) {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (f32) -> i1
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (f32) -> i32
  tt.return %0, %1 : i1, i32
}

// CHECK-LABEL: tt.func @region
// CHECK: "tt.reduce"
// CHECK-NOT: tt.extern_elementwise
// CHECK: tt.reduce.return
tt.func @region(%x: tensor<64xf64>) -> f64 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f64, %b: f64):
    %1 = tt.extern_elementwise %a, %b {libname = "", libpath = "", pure = true, symbol = "hypot"} : (f64, f64) -> f64
    tt.reduce.return %1 : f64
  }) : (tensor<64xf64>) -> f64
  tt.return %0 : f64
}

// CHECK-LABEL: tt.func @library
// CHECK-NEXT: arith.extf
// CHECK-NEXT: tt.extern_elementwise {{.*}} symbol = "lgamma"} : (tensor<16xf64>) -> tensor<16xf64>
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tt.return
tt.func @library(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (tensor<16xf32>) -> tensor<16xf32>
  tt.return %0 : tensor<16xf32>
}

// CHECK-LABEL: tt.func @fused
// CHECK-NEXT: math.fma
// CHECK-NEXT: tt.return
// NOFMA-LABEL: tt.func @fused
// NOFMA-NOT: {{fma|extern_elementwise}}
// NOFMA: tt.return
tt.func @fused(%x: f64, %y: f64, %z: f64) -> f64 {
  %0 = tt.extern_elementwise %x, %y, %z {libname = "", libpath = "", pure = true, symbol = "__nv_fma_rn"} : (f64, f64, f64) -> f64
  tt.return %0 : f64
}
