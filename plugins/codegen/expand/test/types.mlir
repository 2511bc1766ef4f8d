// On a target with 32-bit types only and no library, functions of f32, f16 and
// bf16 and integers of 32 bits are expanded to these.
// RUN: nereid-expand --no-f64 --no-i64 --no-libm %s | FileCheck %s
// RUN: nereid-expand --no-f64 --no-i64 --no-libm --no-fma %s \
// RUN:   | FileCheck %s --check-prefixes=CHECK,NOFMA

// CHECK-NOT: f64
// CHECK-NOT: i64
// CHECK-NOT: extern_elementwise
// NOFMA-NOT: math.fma
// CHECK-LABEL: tt.func @last

tt.func @angles(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.sin %x : tensor<16xf32>
  %1 = math.cos %0 : tensor<16xf32>
  %2 = math.tan %1 : tensor<16xf32>
  tt.return %2 : tensor<16xf32>
}

tt.func @fused(%x: f32, %y: bf16, %z: f16) -> (f32, bf16, f16) {
  %0 = math.fma %x, %x, %x : f32
  %1 = math.fma %y, %y, %y : bf16
  %2 = math.fma %z, %z, %z : f16
  tt.return %0, %1, %2 : f32, bf16, f16
}

tt.func @integers(%x: i32, %y: i32) -> (i32, bf16, i32) {
  %0 = tt.mulhiui %x, %y : i32
  %1 = arith.uitofp %x : i32 to bf16
  %2 = arith.ceildivsi %x, %y : i32
  tt.return %0, %1, %2 : i32, bf16, i32
}

tt.func @functions(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %0 = math.powf %x, %y : f32
  %1 = arith.remf %x, %y : f32
  %2 = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} : (f32, f32) -> f32
  %3 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (f32) -> f32
  tt.return %0, %1, %2, %3 : f32, f32, f32, f32
}

tt.func @fp8(%x: tensor<8xf8E5M2>, %y: tensor<8xf32>)
    -> (tensor<8xf16>, tensor<8xf8E4M3FN>) {
  %0 = tt.fp_to_fp %x : tensor<8xf8E5M2> -> tensor<8xf16>
  %1 = tt.fp_to_fp %y, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  tt.return %0, %1 : tensor<8xf16>, tensor<8xf8E4M3FN>
}

// A pointee is not a value.
// CHECK: !tt.ptr<f64>
tt.func @last(%p: !tt.ptr<f64>, %x: !tt.ptr<!tt.ptr<f64>>) {
  tt.store %x, %p : !tt.ptr<!tt.ptr<f64>>
  tt.return
}
