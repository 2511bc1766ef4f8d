// Elementwise operations.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @casts
tt.func public @casts(%f: tensor<8xf32>, %a: i64, %p: !tt.ptr<f32>) {
  // CHECK: tt.bitcast %{{.*}} : tensor<8xf32> -> tensor<8xi32>
  %0 = tt.bitcast %f : tensor<8xf32> -> tensor<8xi32>
  // CHECK: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i8>
  %1 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  // CHECK: tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
  %2 = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  // CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
  %3 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %4 = tt.fp_to_fp %f, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<8xf8E5M2> -> tensor<8xf16>
  %5 = tt.fp_to_fp %4 : tensor<8xf8E5M2> -> tensor<8xf16>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<8xf16> -> tensor<8xbf16>
  %6 = tt.fp_to_fp %5, rounding = rtz : tensor<8xf16> -> tensor<8xbf16>
  tt.return
}

// CHECK-LABEL: tt.func @arithmetic
tt.func @arithmetic(%x: tensor<8xf32>, %i: tensor<8xi32>,
                    %p: tensor<8x!tt.ptr<f32>>, %o: tensor<8xi64>) {
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<8xf32>
  %0 = tt.clampf %x, %x, %x, propagateNan = none : tensor<8xf32>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : tensor<8xf32>
  %1 = tt.clampf %x, %x, %x, propagateNan = all : tensor<8xf32>
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %2 = tt.precise_sqrt %x : tensor<8xf32>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %3 = tt.precise_divf %x, %x : tensor<8xf32>
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi32>
  %4 = tt.mulhiui %i, %i : tensor<8xi32>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %5 = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %6 = tt.addptr %p, %o {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  tt.return
}

// CHECK-LABEL: tt.func @foreign
tt.func @foreign(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_sinf"} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tt.extern_elementwise %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_sinf"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tt.elementwise_inline_asm "nop $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %{{.*}} : tensor<8xi32> -> tensor<8xi32>
  %1 = tt.elementwise_inline_asm "nop $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : tensor<8xi32> -> tensor<8xi32>
  // CHECK: tt.elementwise_inline_asm "clock $0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %2 = tt.elementwise_inline_asm "clock $0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
  // CHECK-NEXT: tt.map_elementwise.return %[[B]], %[[A]] : i32, i32
  // CHECK-NEXT: }) : (tensor<8xi32>) -> tensor<8xi32>
  %3 = "tt.map_elementwise"(%i) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %b, %a : i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}
