// What the types refuse.
// RUN: not nereid-opt -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: unknown address space "shared", expected "global", "descriptor" or "constant"
tt.func @space(%p: !tt.ptr<f32, "shared">) { tt.return }

// -----

// CHECK: error: address space -1 is negative
tt.func @negative(%p: !tt.ptr<f32, -1>) { tt.return }

// -----

// CHECK: error: expected a block such as 8x16xf32 or tensor<8x16xf32>, found 'f32'
tt.func @scalar(%p: !tt.tensordesc<f32>) { tt.return }

// -----

// CHECK: error: a descriptor's block needs static, positive sizes
tt.func @dynamic(%p: !tt.tensordesc<tensor<?xf32>>) { tt.return }

// -----

// CHECK: error: a descriptor's elements are integers or floats, found '!tt.ptr<f32>'
tt.func @pointers(%p: !tt.tensordesc<8x!tt.ptr<f32>>) { tt.return }
