// The pixels that a product multiplies are loaded along their rows, which are the first dimension
// of its operand; where channels are neighbours, they are loaded along these. What a row of the
// image is divided by is the same for all channels.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-turned-loads --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 3 f32[8192]=random f32[64]=random:1 f32[96,4]=zeros i32=20 i32=22 i32=440 --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 3 f32[8192]=random f32[64]=random:1 f32[96,4]=zeros i32=20 i32=22 i32=440 --expect 2=%t.npy,1e-5,1e-5
// RUN: nereid run %s --target cpu -O vector_bits=256 --grid 3 f32[8192]=random f32[64]=random:1 f32[96,4]=zeros i32=20 i32=22 i32=440 --expect 2=%t.npy,1e-5,1e-5
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 3 f32[8192]=random f32[64]=random:1 f32[96,4]=zeros i32=3 i32=3 i32=400 --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 3 f32[8192]=random f32[64]=random:1 f32[96,4]=zeros i32=3 i32=3 i32=400 --expect 2=%t.npy,1e-5,1e-5

// CHECK: nest [16x32] axis 1 lanes 16 {{.*}}around rows
// CHECK: pieces of {{.+}}, constant, ends by masks
// CHECK: pieces of {{.+}}, contiguous, ends by masks
// CHECK: dot {{.+}} transposed
// CHECK: nest [32x16] axis 1
// CHECK-NOT: around rows
// OFF-NOT: around rows
// OFF: nest [32x16] axis 1

tt.func public @pixels(%image: !tt.ptr<f32>, %filter: !tt.ptr<f32>, %out: !tt.ptr<f32>, %width: i32, %pitch: i32, %plane: i32) {
  %c32 = arith.constant 32 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c32 : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pixel = arith.addi %firsts, %r32 : tensor<32xi32>
  %widths = tt.splat %width : i32 -> tensor<32xi32>
  %row = arith.divsi %pixel, %widths : tensor<32xi32>
  %column = arith.remsi %pixel, %widths : tensor<32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32xi32>
  %start = arith.muli %row, %pitches : tensor<32xi32>
  %place = arith.addi %start, %column : tensor<32xi32>
  %places1 = tt.expand_dims %place {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %places = tt.broadcast %places1 : tensor<32x1xi32> -> tensor<32x16xi32>

  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %planes = tt.splat %plane : i32 -> tensor<16xi32>
  %channel = arith.muli %r16, %planes : tensor<16xi32>
  %channels1 = tt.expand_dims %channel {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %channels = tt.broadcast %channels1 : tensor<1x16xi32> -> tensor<32x16xi32>
  %index = arith.addi %places, %channels : tensor<32x16xi32>
  %images = tt.splat %image : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %from = tt.addptr %images, %index : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %inner = arith.cmpi sge, %column, %one : tensor<32xi32>
  %mask1 = tt.expand_dims %inner {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %mask = tt.broadcast %mask1 : tensor<32x1xi1> -> tensor<32x16xi1>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %seen = tt.load %from, %mask, %zeros : tensor<32x16x!tt.ptr<f32>>

  %r4 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %four = arith.constant dense<4> : tensor<16xi32>
  %lines = arith.muli %r16, %four : tensor<16xi32>
  %lines1 = tt.expand_dims %lines {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %line = tt.broadcast %lines1 : tensor<16x1xi32> -> tensor<16x4xi32>
  %r4s = tt.expand_dims %r4 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %taps = tt.broadcast %r4s : tensor<1x4xi32> -> tensor<16x4xi32>
  %at = arith.addi %line, %taps : tensor<16x4xi32>
  %filters = tt.splat %filter : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %f = tt.addptr %filters, %at : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
  %by = tt.load %f : tensor<16x4x!tt.ptr<f32>>
  %none = arith.constant dense<0.0> : tensor<32x4xf32>
  %sums = tt.dot %seen, %by, %none, inputPrecision = ieee : tensor<32x16xf32> * tensor<16x4xf32> -> tensor<32x4xf32>

  // Channels last: pixels are rows, which a product reads as they are.
  %sixteen = arith.constant dense<16> : tensor<32xi32>
  %wide = arith.muli %place, %sixteen : tensor<32xi32>
  %wide1 = tt.expand_dims %wide {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %wides = tt.broadcast %wide1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %near1 = tt.expand_dims %r16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %near = tt.broadcast %near1 : tensor<1x16xi32> -> tensor<32x16xi32>
  %last = arith.addi %wides, %near : tensor<32x16xi32>
  %p = tt.addptr %images, %last : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  %v = tt.load %p, %mask, %zeros : tensor<32x16x!tt.ptr<f32>>
  %more = tt.dot %v, %by, %sums, inputPrecision = ieee : tensor<32x16xf32> * tensor<16x4xf32> -> tensor<32x4xf32>

  %fours = arith.constant dense<4> : tensor<32xi32>
  %outer = arith.muli %pixel, %fours : tensor<32xi32>
  %outer1 = tt.expand_dims %outer {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %o = tt.broadcast %outer1 : tensor<32x1xi32> -> tensor<32x4xi32>
  %o4 = tt.broadcast %r4s : tensor<1x4xi32> -> tensor<32x4xi32>
  %to = arith.addi %o, %o4 : tensor<32x4xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x4x!tt.ptr<f32>>
  %q = tt.addptr %outs, %to : tensor<32x4x!tt.ptr<f32>>, tensor<32x4xi32>
  tt.store %q, %more : tensor<32x4x!tt.ptr<f32>>
  tt.return
}
