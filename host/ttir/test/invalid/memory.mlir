// What loads, stores and atomics refuse.
// RUN: not nereid-opt -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'tt.load' op operand 0 has 24 elements, expected a power of two: 'tensor<24x!tt.ptr<f32>>'
tt.func @power_of_two(%p: tensor<24x!tt.ptr<f32>>) {
  %0 = tt.load %p : tensor<24x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK: error: 'tt.splat' op result 0 has more than 1048576 elements: 'tensor<2048x1024xf32>'
tt.func @size(%p: f32) {
  %0 = tt.splat %p : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.load' op has boundaryCheck, which only block pointers have
tt.func @boundary(%p: tensor<8x!tt.ptr<f32>>) {
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK: error: 'tt.load' op boundaryCheck names dimension 2 of a block of rank 1
tt.func @dimension(%p: !tt.ptr<tensor<8xf32>>) {
  %0 = tt.load %p {boundaryCheck = array<i32: 2>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// CHECK: error: 'tt.load' op pads with NaN, but its elements are 'i32'
tt.func @padding(%p: !tt.ptr<tensor<8xi32>>) {
  %0 = tt.load %p {padding = 2 : i32} : !tt.ptr<tensor<8xi32>>
  tt.return
}

// -----

// CHECK: error: 'tt.store' op a block pointer takes boundaryCheck, not a mask
tt.func @mask(%p: !tt.ptr<tensor<8xf32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) {
  tt.store %p, %v, %m : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// CHECK: error: 'tt.load' op failed to verify that result must have the pointee type of ptr
tt.func @type(%p: tensor<8x!tt.ptr<f32>>) {
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf16>
  tt.return
}

// -----

// CHECK: error: {{.*}}expects different type than prior uses: 'tensor<8xi1>' vs 'tensor<16xi1>'
tt.func @mask_shape(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<16xi1>) {
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK: error: 'tt.load' op has both cachePolicy and the clauses it replaces
tt.func @hints(%p: tensor<8x!tt.ptr<f32>>) {
  %0 = tt.load %p cacheModifier = cg {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK: error: {{.*}}'tt.load' op attribute 'cachePolicy' failed to satisfy constraint
tt.func @policy(%p: tensor<8x!tt.ptr<f32>>) {
  %0 = tt.load %p {cachePolicy = 3 : i32} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK: error: 'tt.atomic_rmw' op fadd needs float elements, found 'i32'
tt.func @fadd(%p: !tt.ptr<i32>, %v: i32) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

// CHECK: error: 'tt.atomic_load' op must be relaxed or acquire, found release
tt.func @order(%p: !tt.ptr<i32>) {
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

// CHECK: error: 'tt.atomic_poll' op needs integers of 16, 32 or 64 bits, found i8
tt.func @poll(%p: !tt.ptr<i8>, %v: i8) {
  %0 = tt.atomic_poll relaxed, gpu, %p, %v : !tt.ptr<i8>, i8 -> i1
  tt.return
}

// -----

// CHECK: error: 'tt.make_tensor_ptr' op needs 2 sizes, strides and offsets each for a block of rank 2, found 3 values
tt.func @block(%p: !tt.ptr<f32>, %s: i64, %o: i32) {
  %0 = tt.make_tensor_ptr %p, [%s], [%s], [%o] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  tt.return
}

// -----

// CHECK: error: 'tt.make_tensor_ptr' op order must be a permutation of the 1 dimensions
tt.func @order(%p: !tt.ptr<f32>, %s: i64, %o: i32) {
  %0 = tt.make_tensor_ptr %p, [%s], [%s], [%o] {order = array<i32: 1>} : <tensor<8xf32>>
  tt.return
}
