// What elementwise operations, reductions and matrix products refuse.
// RUN: not nereid-opt -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'tt.bitcast' op needs types of equal width, found 'f32' and 'i16'
tt.func @bitcast(%x: tensor<8xf32>) {
  %0 = tt.bitcast %x : tensor<8xf32> -> tensor<8xi16>
  tt.return
}

// -----

// CHECK: error: 'tt.bitcast' op cannot turn '!tt.ptr<f32>' into 'i64'
tt.func @pointer(%x: !tt.ptr<f32>) {
  %0 = tt.bitcast %x : !tt.ptr<f32> -> i64
  tt.return
}

// -----

// CHECK: error: 'tt.bitcast' op cannot change the address space
tt.func @space(%x: !tt.ptr<f32, "constant">) {
  %0 = tt.bitcast %x : !tt.ptr<f32, "constant"> -> !tt.ptr<f32>
  tt.return
}

// -----

// CHECK: error: 'tt.fp_to_fp' op needs a rounding to narrow 'f32' to 'f16'
tt.func @rounding(%x: f32) {
  %0 = tt.fp_to_fp %x : f32 -> f16
  tt.return
}

// -----

// CHECK: error: 'tt.reduce' op axis 1 is not a dimension of 'tensor<8xf32>'
tt.func @axis(%x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

// CHECK: error: 'tt.reduce' op region takes ('f32', 'i32'), expected ('f32', 'f32')
tt.func @region(%x: tensor<8xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

// CHECK: error: 'tt.scan.return' op returns ('f32', 'f32'), expected ('f32')
tt.func @scan(%x: tensor<8xf32>) {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a, %b : f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.store' op writes memory inside tt.map_elementwise
tt.func @map(%x: tensor<8xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.store %p, %a : !tt.ptr<f32>
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.map_elementwise' op packs 2 elements, expected at most the 1 of an operand
tt.func @map(%x: tensor<1xf32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %b, %a : f32, f32
  }) : (tensor<1xf32>) -> tensor<1xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.dot' op sums over 32 elements of a, but over 16 of b
tt.func @dot(%a: tensor<16x32xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.dot' op needs elements of equal width in a and b
tt.func @width(%a: tensor<16x16xf32>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  %0 = tt.dot %a, %b, %c : tensor<16x16xf32> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.dot_scaled' op a_scale must cover the 64 summed elements in groups of 16 or 32
tt.func @scale(%a: tensor<16x64xf8E5M2>, %s: tensor<16x8xi8>, %b: tensor<64x16xf8E5M2>, %c: tensor<16x16xf32>) {
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E5M2>, tensor<16x8xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  tt.return
}
