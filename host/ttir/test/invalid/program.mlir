// What functions, calls, descriptors and barriers refuse.
// RUN: not nereid-opt -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'tt.return' op returns 1 values, but function @f has 0 results
tt.func @f(%x: i32) {
  tt.return %x : i32
}

// -----

// CHECK: error: 'tt.return' op value 0 is 'i32', but function @f returns 'i64'
tt.func @f(%x: i32) -> i64 {
  tt.return %x : i32
}

// -----

// CHECK: error: 'tt.call' op calls @g, which is not a function of this module
tt.func @f() {
  tt.call @g() : () -> ()
  tt.return
}

// -----

// CHECK: error: 'tt.call' op calls @g as '() -> ()', but it is '(i32) -> ()'
tt.func @f() {
  tt.call @g() : () -> ()
  tt.return
}
tt.func private @g(%x: i32) { tt.return }

// -----

// CHECK: error: 'tt.print' op isSigned has 0 entries for 1 values
tt.func @f(%x: i32) {
  tt.print "x" {hex = false, isSigned = array<i32>} : %x : i32
  tt.return
}

// -----

// CHECK: error: {{.*}}unknown address space 'shared', expected none, local
tt.func @f() {
  ttg.barrier local|shared
  tt.return
}

// -----

// CHECK: error: 'tt.descriptor_load' op moves 'tensor<16xf32>', but the block is 'tensor<8x16xf32>'
tt.func @f(%d: !tt.tensordesc<8x16xf32>, %i: i32) {
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<8x16xf32> -> tensor<16xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.descriptor_load' op needs 2 indices, found 1
tt.func @f(%d: !tt.tensordesc<8x16xf32>, %i: i32) {
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.descriptor_gather' op needs at least 8 rows, found 4
tt.func @f(%d: !tt.tensordesc<1x16xf32>, %r: tensor<4xi32>, %i: i32) {
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<1x16xf32>, tensor<4xi32>, i32) -> tensor<4x16xf32>
  tt.return
}

// -----

// CHECK: error: 'tt.make_tensor_descriptor' op needs a base that points to 'f16', found '!tt.ptr<f32>'
tt.func @f(%p: !tt.ptr<f32>, %m: i32, %s: i64) {
  %0 = tt.make_tensor_descriptor %p, [%m], [%s] : <f32>, <32xf16>
  tt.return
}
