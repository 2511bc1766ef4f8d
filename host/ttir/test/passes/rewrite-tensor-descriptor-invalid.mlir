// Reductions that no atomic operation does.
// RUN: not nereid-opt -triton-rewrite-tensor-descriptor-to-pointer %s 2>&1 | FileCheck %s

// CHECK: error: 'tt.descriptor_reduce' op inc of 'ui32' has no atomic operation
tt.func @inc(%d: !tt.tensordesc<8xui32>, %x: tensor<8xi32>, %i: i32) {
  tt.descriptor_reduce inc, %d[%i], %x : !tt.tensordesc<8xui32>, tensor<8xi32>
  tt.return
}
