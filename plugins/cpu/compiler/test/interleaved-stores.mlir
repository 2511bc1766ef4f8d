// Stores that are interleaved in memory, in any order, are one of neighbours
// where no mask interferes; of another distance, they are apart.
// RUN: split-file %s %t
// RUN: nereid compile %t/complex.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/complex.mlir
// RUN: nereid compile %t/colours.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/colours.mlir
// RUN: nereid compile %t/apart.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/apart.mlir
// RUN: nereid run %t/complex.mlir --target cpu --grid 2 --no-cache f32[64]=random:1 f32[128]=zeros --save 1=%t.npy
// RUN: nereid run %t/complex.mlir --target cpu --grid 2 --no-cache -O fast_paths=none f32[64]=random:1 f32[128]=zeros --expect 1=%t.npy,0,0
// RUN: nereid run %t/colours.mlir --target cpu --grid 2 --no-cache i8[64]=random:1 i8[192]=zeros --save 1=%t.npy
// RUN: nereid run %t/colours.mlir --target cpu --grid 2 --no-cache -O fast_paths=none i8[64]=random:1 i8[192]=zeros --expect 1=%t.npy,0,0

//--- complex.mlir
// CHECK: shufflevector <16 x float> {{.*}} <i32 0, i32 8, i32 1, i32 9,
// CHECK-NEXT: store <16 x float>
// CHECK-NOT: store float
tt.func public @complex(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %size = arith.constant 32 : i32
  %one = arith.constant dense<1> : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %id = tt.get_program_id x : i32
  %first = arith.muli %id, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %i = arith.addi %firsts, %range : tensor<32xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %from = tt.addptr %ins, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %from : tensor<32x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<32xf32>
  %even = arith.muli %i, %two : tensor<32xi32>
  %odd = arith.addi %even, %one : tensor<32xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %evens = tt.addptr %outs, %even : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %odds = tt.addptr %outs, %odd : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %evens, %x : tensor<32x!tt.ptr<f32>>
  tt.store %odds, %y : tensor<32x!tt.ptr<f32>>
  tt.return
}

//--- colours.mlir
// CHECK: store <96 x i8>
// CHECK-NOT: store i8
tt.func public @colours(%in: !tt.ptr<i8>, %out: !tt.ptr<i8>) {
  %size = arith.constant 32 : i32
  %one = arith.constant dense<1> : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %id = tt.get_program_id x : i32
  %first = arith.muli %id, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %i = arith.addi %firsts, %range : tensor<32xi32>
  %ins = tt.splat %in : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>>
  %from = tt.addptr %ins, %i : tensor<32x!tt.ptr<i8>>, tensor<32xi32>
  %x = tt.load %from : tensor<32x!tt.ptr<i8>>
  %y = arith.addi %x, %x : tensor<32xi8>
  %z = arith.addi %y, %x : tensor<32xi8>
  %red = arith.muli %i, %three : tensor<32xi32>
  %green = arith.addi %red, %one : tensor<32xi32>
  %blue = arith.addi %red, %two : tensor<32xi32>
  %outs = tt.splat %out : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>>
  %reds = tt.addptr %outs, %red : tensor<32x!tt.ptr<i8>>, tensor<32xi32>
  %greens = tt.addptr %outs, %green : tensor<32x!tt.ptr<i8>>, tensor<32xi32>
  %blues = tt.addptr %outs, %blue : tensor<32x!tt.ptr<i8>>, tensor<32xi32>
  tt.store %greens, %y : tensor<32x!tt.ptr<i8>>
  tt.store %blues, %z : tensor<32x!tt.ptr<i8>>
  tt.store %reds, %x : tensor<32x!tt.ptr<i8>>
  tt.return
}

//--- apart.mlir
// CHECK-NOT: store <16 x float>
// CHECK: getelementptr float, {{.*}}, i64 2
// CHECK: store float
tt.func public @apart(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %two = arith.constant dense<2> : tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %from = tt.addptr %ins, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %from : tensor<32x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<32xf32>
  %even = arith.muli %i, %two : tensor<32xi32>
  %odd = arith.addi %even, %three : tensor<32xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %evens = tt.addptr %outs, %even : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %odds = tt.addptr %outs, %odd : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %evens, %x : tensor<32x!tt.ptr<f32>>
  tt.store %odds, %y : tensor<32x!tt.ptr<f32>>
  tt.return
}
