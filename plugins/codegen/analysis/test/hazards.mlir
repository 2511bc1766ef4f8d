// Aliasing hazards of two accesses: equal, shifted, interleaved, disjoint, with
// other pointers, with strides that are known at run time.
// RUN: nereid-forms %s | FileCheck %s

// CHECK-LABEL: @lines
// CHECK: access [[AT:%[0-9]+]] repeats never
// CHECK: access [[ABOVE:%[0-9]+]] repeats never
// CHECK-NEXT: after [[AT]] if overlapping, in step if ahead
// CHECK: access [[FAR:%[0-9]+]] repeats never
// CHECK-NEXT: after [[AT]] none, in step none
// CHECK: access [[OTHER:%[0-9]+]] repeats never
// CHECK-NEXT: after [[AT]] if overlapping, in step if ahead
// CHECK: access [[EVEN:%[0-9]+]] repeats never
// CHECK-NEXT: after [[AT]] if overlapping, in step if overlapping
// CHECK: access [[ODD:%[0-9]+]] repeats never
// CHECK: after [[EVEN]] none, in step none
// CHECK: access [[SAME:%[0-9]+]] repeats never
// CHECK-NEXT: after [[AT]] always, in step none
// CHECK: access [[LOADED:%[0-9]+]] repeats possibly
// CHECK-NEXT: after [[AT]] always, in step always
tt.func public @lines(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %x = arith.constant dense<1.0> : tensor<64xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %at, %x : tensor<64x!tt.ptr<f32>>
  %above = tt.addptr %at, %one : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %above, %x : tensor<64x!tt.ptr<f32>>
  %far = tt.addptr %at, %size : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %far, %x : tensor<64x!tt.ptr<f32>>
  %other = tt.addptr %qs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %other, %x : tensor<64x!tt.ptr<f32>>
  %twice = arith.muli %i, %two : tensor<64xi32>
  %even = tt.addptr %ps, %twice : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %even, %x : tensor<64x!tt.ptr<f32>>
  %odd = tt.addptr %even, %one : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %odd, %x : tensor<64x!tt.ptr<f32>>
  %same = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %y = tt.load %same : tensor<64x!tt.ptr<f32>>
  %bits = arith.fptosi %y : tensor<64xf32> to tensor<64xi32>
  %loaded = tt.addptr %ps, %bits : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %loaded, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Rows that overlap, rows that do not, and rows whose distance is an argument.
// CHECK-LABEL: @rows
// CHECK: access {{%[0-9]+}} repeats possibly
// CHECK: access {{%[0-9]+}} repeats never
// CHECK: access [[ROWS:%[0-9]+]] repeats if close
// CHECK: access {{%[0-9]+}} repeats if close
// CHECK: after [[ROWS]] always, in step if repeated
tt.func public @rows(%p: !tt.ptr<f32>, %stride: i32) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %is = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %js = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %jb = tt.broadcast %js : tensor<1x16xi32> -> tensor<8x16xi32>
  %x = arith.constant dense<1.0> : tensor<8x16xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %fifteen = arith.constant dense<15> : tensor<8x1xi32>
  %close = arith.muli %is, %fifteen : tensor<8x1xi32>
  %closeb = tt.broadcast %close : tensor<8x1xi32> -> tensor<8x16xi32>
  %o1 = arith.addi %closeb, %jb : tensor<8x16xi32>
  %p1 = tt.addptr %ps, %o1 : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %p1, %x : tensor<8x16x!tt.ptr<f32>>
  %sixteen = arith.constant dense<16> : tensor<8x1xi32>
  %apart = arith.muli %is, %sixteen : tensor<8x1xi32>
  %apartb = tt.broadcast %apart : tensor<8x1xi32> -> tensor<8x16xi32>
  %o2 = arith.addi %apartb, %jb : tensor<8x16xi32>
  %p2 = tt.addptr %ps, %o2 : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %p2, %x : tensor<8x16x!tt.ptr<f32>>
  %strides = tt.splat %stride : i32 -> tensor<8x1xi32>
  %some = arith.muli %is, %strides : tensor<8x1xi32>
  %someb = tt.broadcast %some : tensor<8x1xi32> -> tensor<8x16xi32>
  %o3 = arith.addi %someb, %jb : tensor<8x16xi32>
  %p3 = tt.addptr %ps, %o3 : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %p3, %x : tensor<8x16x!tt.ptr<f32>>
  tt.store %p3, %x : tensor<8x16x!tt.ptr<f32>>
  tt.return
}

// The halves of rows of 32, as in a rotary embedding, and what is longer.
// CHECK-LABEL: @halves
// CHECK: access [[LEFT:%[0-9]+]] repeats never
// CHECK: access [[RIGHT:%[0-9]+]] repeats never
// CHECK-NEXT: after [[LEFT]] none, in step none
// CHECK: access [[LATER:%[0-9]+]] repeats never
// CHECK-NEXT: after [[LEFT]] if overlapping
// CHECK-NEXT: after [[RIGHT]] if overlapping
tt.func public @halves(%p: !tt.ptr<f32>) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %is = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %js = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %jb = tt.broadcast %js : tensor<1x16xi32> -> tensor<8x16xi32>
  %x = arith.constant dense<1.0> : tensor<8x16xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %pitch = arith.constant dense<32> : tensor<8x1xi32>
  %rows = arith.muli %is, %pitch : tensor<8x1xi32>
  %rb = tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x16xi32>
  %o = arith.addi %rb, %jb : tensor<8x16xi32>
  %half = arith.constant dense<16> : tensor<8x16xi32>
  %most = arith.constant dense<15> : tensor<8x16xi32>
  %left = tt.addptr %ps, %o : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %left, %x : tensor<8x16x!tt.ptr<f32>>
  %right = tt.addptr %left, %half : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %right, %x : tensor<8x16x!tt.ptr<f32>>
  %later = tt.addptr %left, %most : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %later, %x : tensor<8x16x!tt.ptr<f32>>
  tt.return
}
