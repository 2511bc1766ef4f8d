// Reductions, scans and matrix products.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @reduce
tt.func public @reduce(%x: tensor<16x32xf32>, %i: tensor<16x32xi32>, %v: tensor<8xf32>) {
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK: tt.reduce.return %{{.*}} : f32
  // CHECK-NEXT: }) : (tensor<16x32xf32>) -> tensor<16xf32>
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}>
  // CHECK: }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}>
  // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
  // CHECK: -> (tensor<32xf32>, tensor<32xi32>)
  %2:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %j: i32, %b: f32, %k: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    %e = arith.select %c, %j, %k : i32
    tt.reduce.return %d, %e : f32, i32
  }) : (tensor<16x32xf32>, tensor<16x32xi32>) -> (tensor<32xf32>, tensor<32xi32>)
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  // CHECK: }) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  tt.return
}

// CHECK-LABEL: tt.func @dot
tt.func @dot(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %c: tensor<16x16xf32>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {maxNumImpreciseAcc = 8 : i32} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 8 : i32} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  tt.return
}

// CHECK-LABEL: tt.func @dot_scaled
tt.func @dot_scaled(%a: tensor<16x32xi8>, %as: tensor<16x2xi8>,
                    %b: tensor<64x16xf8E5M2>, %bs: tensor<16x2xi8>,
                    %h: tensor<16x64xbf16>, %c: tensor<16x16xf32>) {
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xf8E5M2>, tensor<16x2xi8> -> tensor<16x16xf32>
  %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xf8E5M2>, tensor<16x2xi8> -> tensor<16x16xf32>
  // CHECK: tt.dot_scaled %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = bf16 rhs = e5m2 {fastMath = true} : tensor<16x64xbf16> * tensor<64x16xf8E5M2>, tensor<16x2xi8> -> tensor<16x16xf32>
  %1 = tt.dot_scaled %h, %b scale %bs, %c lhs = bf16 rhs = e5m2 {fastMath = true} : tensor<16x64xbf16> * tensor<64x16xf8E5M2>, tensor<16x2xi8> -> tensor<16x16xf32>
  tt.return
}
