// What is computed from one sum of a row does not end the nest in which another
// one is computed, wherever the kernel says it, and in a loop too.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=-fuse --stop-after llir -o - | FileCheck %s --check-prefix=APART
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[3,128]=random:1 f32[3,128]=zeros i32=3 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[3,128]=random:1 f32[3,128]=zeros i32=3 --expect 1=%t.npy,1e-6,1e-6

// CHECK: scf.for
// CHECK: nest [128]
// CHECK-NEXT: reduce
// CHECK-NEXT: reduce
// CHECK-NEXT: scalar x3
// CHECK: nest [128]
// CHECK-NEXT: store
// APART: scf.for
// APART: reduce
// APART: scalar x1
// APART: reduce
module {
  tt.func public @normalize(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %rows: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %n = arith.constant 1.280000e+02 : f32
    %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    scf.for %row = %c0 to %rows step %c1 : i32 {
      %offset = arith.muli %row, %c128 : i32
      %start = tt.addptr %in, %offset : !tt.ptr<f32>, i32
      %starts = tt.splat %start : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %places = tt.addptr %starts, %columns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %x = tt.load %places : tensor<128x!tt.ptr<f32>>
      %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<128xf32>) -> f32
      %mean = arith.divf %sum, %n : f32
      %squares = arith.mulf %x, %x : tensor<128xf32>
      %total = "tt.reduce"(%squares) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<128xf32>) -> f32
      %square = arith.divf %total, %n : f32
      %means = tt.splat %mean : f32 -> tensor<128xf32>
      %scales = tt.splat %square : f32 -> tensor<128xf32>
      %difference = arith.subf %x, %means : tensor<128xf32>
      %y = arith.mulf %difference, %scales : tensor<128xf32>
      %to = tt.addptr %out, %offset : !tt.ptr<f32>, i32
      %tos = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %targets = tt.addptr %tos, %columns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      tt.store %targets, %y : tensor<128x!tt.ptr<f32>>
    }
    tt.return
  }
}
