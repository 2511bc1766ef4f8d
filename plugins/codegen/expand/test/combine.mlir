// Reductions and scans that add or multiply f16 or bf16 do so in f32, and round
// once. Others are unchanged.
// RUN: nereid-expand %s | FileCheck %s

// CHECK-LABEL: tt.func @sum
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<64xf16> to tensor<64xf32>
// CHECK: %[[SUM:.*]] = "tt.reduce"(%[[WIDE]]) <{axis = 0 : i32}>
// CHECK-NEXT: (%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf {{.*}} : f32
// CHECK-NEXT: tt.reduce.return {{.*}} : f32
// CHECK: arith.truncf %[[SUM]] : f32 to f16
tt.func @sum(%x: tensor<64xf16>) -> f16 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    tt.reduce.return %s : f16
  }) : (tensor<64xf16>) -> f16
  tt.return %0 : f16
}

// A pair: the product of bf16 widens, the integer beside it does not.
// CHECK-LABEL: tt.func @product
// CHECK: "tt.scan"({{.*}}) <{axis = 1 : i32, reverse = true}>
// CHECK-NEXT: (%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
// CHECK-NOT: bf16
// CHECK: tt.scan.return {{.*}} : f32, i32
// CHECK: arith.truncf {{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
tt.func @product(%x: tensor<4x8xbf16>, %i: tensor<4x8xi32>)
    -> (tensor<4x8xbf16>, tensor<4x8xi32>) {
  %0:2 = "tt.scan"(%x, %i) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: bf16, %m: i32, %b: bf16, %n: i32):
    %one = arith.constant 1.0 : bf16
    %wide = arith.extf %b : bf16 to f32
    %short = arith.truncf %wide : f32 to bf16
    %p = arith.mulf %a, %short : bf16
    %q = arith.mulf %p, %one : bf16
    %s = arith.addi %m, %n : i32
    tt.scan.return %q, %s : bf16, i32
  }) : (tensor<4x8xbf16>, tensor<4x8xi32>) -> (tensor<4x8xbf16>, tensor<4x8xi32>)
  tt.return %0#0, %0#1 : tensor<4x8xbf16>, tensor<4x8xi32>
}

// A value from outside the region is widened there.
// CHECK-LABEL: tt.func @outside
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: "tt.scan"
// CHECK: arith.mulf %{{.*}}, %[[WIDE]] {{.*}}: f32
tt.func @outside(%x: tensor<64xbf16>, %y: bf16) -> tensor<64xbf16> {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.mulf %b, %y : bf16
    %t = arith.addf %a, %s : bf16
    tt.scan.return %t : bf16
  }) : (tensor<64xbf16>) -> tensor<64xbf16>
  tt.return %0 : tensor<64xbf16>
}

// A maximum needs no rounding.
// CHECK-LABEL: tt.func @max
// CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}>
// CHECK-NEXT: (%{{.*}}: bf16, %{{.*}}: bf16):
tt.func @max(%x: tensor<64xbf16>) -> bf16 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.maxnumf %a, %b : bf16
    tt.reduce.return %s : bf16
  }) : (tensor<64xbf16>) -> bf16
  tt.return %0 : bf16
}
