// Arithmetic on narrow types runs in f32 and is rounded after each operation;
// exact operations are not rounded.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --f16-arithmetic %s | FileCheck %s --check-prefix=NATIVE

// CHECK-LABEL: tt.func @add
// CHECK-COUNT-2: arith.extf {{.*}} : tensor<16xf16> to tensor<16xf32>
// CHECK: arith.addf {{.*}} : tensor<16xf32>
// CHECK-NEXT: arith.truncf {{.*}} : tensor<16xf32> to tensor<16xf16>
// NATIVE-LABEL: tt.func @add
// NATIVE-NEXT: arith.addf {{.*}} : tensor<16xf16>
tt.func @add(%x: tensor<16xf16>, %y: tensor<16xf16>) -> tensor<16xf16> {
  %0 = arith.addf %x, %y : tensor<16xf16>
  tt.return %0 : tensor<16xf16>
}

// CHECK-LABEL: tt.func @chain
// CHECK: arith.mulf
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.truncf
// CHECK: arith.extf %[[PRODUCT]]
// CHECK: arith.addf
tt.func @chain(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.mulf %x, %y : bf16
  %1 = arith.addf %0, %y : bf16
  tt.return %1 : bf16
}

// CHECK-LABEL: tt.func @unrounded
// CHECK-NOT: arith.truncf
// CHECK: tt.return
tt.func @unrounded(%x: bf16, %y: bf16, %c: i1) -> bf16 {
  %0 = arith.maxnumf %x, %y : bf16
  %1 = arith.negf %0 : bf16
  %2 = math.absf %1 : bf16
  %3 = arith.select %c, %2, %x : bf16
  tt.return %3 : bf16
}

// fp8 moves as it is and is converted as an i8.
// CHECK-LABEL: tt.func @fp8
// CHECK: arith.bitcast {{.*}} : tensor<16xf8E4M3FN> to tensor<16xi8>
// CHECK-NOT: tt.fp_to_fp
// CHECK: tt.return {{.*}} : tensor<16xf16>
tt.func @fp8(%x: tensor<16xf8E4M3FN>) -> tensor<16xf16> {
  %0 = tt.fp_to_fp %x : tensor<16xf8E4M3FN> -> tensor<16xf16>
  tt.return %0 : tensor<16xf16>
}

// A function is expanded even where arithmetic is native.
// NATIVE-LABEL: tt.func @function
// NATIVE: arith.extf {{.*}} : f16 to f32
// NATIVE: arith.truncf {{.*}} : f32 to f16
tt.func @function(%x: f16) -> f16 {
  %0 = math.exp %x : f16
  tt.return %0 : f16
}

// A tie of bf16 that is not exact is resolved in f32.
// CHECK-LABEL: tt.func @fused
// CHECK-NOT: f64
// CHECK-COUNT-2: math.fma {{.*}} : f32
// CHECK-NOT: f64
// CHECK: arith.truncf {{.*}} : f32 to bf16
tt.func @fused(%x: bf16, %y: bf16, %z: bf16) -> bf16 {
  %0 = math.fma %x, %y, %z : bf16
  tt.return %0 : bf16
}

// Integers of at most 8 bits without their sign are numbers of bf16, and those
// of 24 are numbers of f32, which rounds once.
// CHECK-LABEL: tt.func @integers
// CHECK: arith.sitofp
// CHECK-NOT: arith.truncf
// CHECK: arith.sitofp
// CHECK-NOT: arith.truncf
// CHECK: arith.uitofp
// CHECK-NOT: arith.truncf
// CHECK-NOT: arith.select
// CHECK: arith.sitofp
// CHECK: arith.truncf
// CHECK: arith.select
// CHECK: arith.sitofp
// CHECK: arith.truncf
// CHECK: tt.return
tt.func @integers(%x: i32, %y: i8) -> (bf16, bf16, bf16, bf16, bf16) {
  %byte = arith.constant 255 : i32
  %eight = arith.constant 8 : i32
  %two = arith.constant 2 : i32
  %0 = arith.andi %x, %byte : i32
  %1 = arith.sitofp %0 : i32 to bf16
  %2 = arith.extsi %y : i8 to i32
  %3 = arith.subi %2, %eight : i32
  %4 = arith.sitofp %3 : i32 to bf16
  %5 = arith.uitofp %y : i8 to bf16
  %6 = arith.shrui %x, %eight : i32
  %7 = arith.sitofp %6 : i32 to bf16
  %8 = arith.shrui %x, %two : i32
  %9 = arith.sitofp %8 : i32 to bf16
  tt.return %1, %4, %5, %7, %9 : bf16, bf16, bf16, bf16, bf16
}
