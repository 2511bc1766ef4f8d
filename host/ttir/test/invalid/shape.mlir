// What operations that move elements refuse.
// RUN: not nereid-opt -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'tt.make_range' op starts at 8, which is not below its end 8
tt.func @range() {
  %0 = tt.make_range {end = 8 : i32, start = 8 : i32} : tensor<8xi32>
  tt.return
}

// -----

// CHECK: error: 'tt.make_range' op counts 16 values for a result of 8 elements
tt.func @count() {
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<8xi32>
  tt.return
}

// -----

// CHECK: error: 'tt.broadcast' op cannot repeat dimension 1 of size 2 to size 4
tt.func @broadcast(%x: tensor<1x2xf32>) {
  %0 = tt.broadcast %x : tensor<1x2xf32> -> tensor<2x4xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.expand_dims' op axis 3 is outside 0 to 1
tt.func @expand(%x: tensor<8xf32>) {
  %0 = tt.expand_dims %x {axis = 3 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.reshape' op needs as many elements in as out
tt.func @reshape(%x: tensor<8xf32>) {
  %0 = tt.reshape %x : tensor<8xf32> -> tensor<4xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.trans' op order must be a permutation of the 2 dimensions
tt.func @trans(%x: tensor<8x8xf32>) {
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.split' op needs a last dimension of size 2
tt.func @split(%x: tensor<8x4xf32>) {
  %0, %1 = tt.split %x : tensor<8x4xf32> -> tensor<8xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.join' op inferred type(s) 'tensor<8x2xf32>' are incompatible with return type(s) of operation 'tensor<16xf32>'
tt.func @join(%x: tensor<8xf32>) {
  %0 = tt.join %x, %x : tensor<8xf32> -> tensor<16xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.gather' op needs indices of the size of src in dimension 1
tt.func @gather(%x: tensor<8x8xf32>, %i: tensor<4x4xi32>) {
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x8xf32>, tensor<4x4xi32>) -> tensor<4x4xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.unsplat' op needs a tensor of one element
tt.func @unsplat(%x: tensor<8xf32>) {
  %0 = tt.unsplat %x : tensor<8xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.cat' op needs a result of the operands' rank and of 16 elements
tt.func @cat(%x: tensor<8xf32>) {
  %0 = tt.cat %x, %x : tensor<8xf32> -> tensor<8xf32>
  tt.return
}
