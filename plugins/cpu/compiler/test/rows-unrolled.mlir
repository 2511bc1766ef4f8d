// Each part of a row has its own number of vectors in an iteration: a maximum has
// several accumulators beside an exponential, which is long enough. So it is in
// the one masked loop of AVX-512, which ends with whole iterations.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=MASKED
// DEFINE: %{run} = nereid run %s --target cpu --grid 3 f32[6144]=random:1 f32[6144]=full:7
// RUN: %{run} i32=1024 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=1024 --expect 1=%t.npy,1e-5,1e-6
// RUN: %{run} i32=781 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=781 --expect 1=%t.npy,1e-5,1e-6
// RUN: %{run} i32=17 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=17 --expect 1=%t.npy,1e-5,1e-6
// RUN: %{run} i32=0 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=0 --expect 1=%t.npy,1e-5,1e-6

// CHECK:      nest [2x1024] axis 1 lanes 8{{$}}
// CHECK-NEXT: row unroll 4
// CHECK:      row unroll 1
// CHECK:      row unroll 2
// MASKED:      nest [2x1024] axis 1 lanes 16 masked
// MASKED-NEXT: row unroll 4
// MASKED:      and i64 %{{.*}}, -64

tt.func public @softmax(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %none = arith.constant dense<0xFF800000> : tensor<2x1024xf32>
  %c2048 = arith.constant 2048 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c2048 : i32
  %from = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %to = tt.addptr %out, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %width = arith.constant dense<1024> : tensor<2x1xi32>
  %first = arith.muli %r2, %width : tensor<2x1xi32>
  %firsts = tt.broadcast %first : tensor<2x1xi32> -> tensor<2x1024xi32>
  %c = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %cs = tt.broadcast %c2 : tensor<1x1024xi32> -> tensor<2x1024xi32>
  %i = arith.addi %firsts, %cs : tensor<2x1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1x1024xi32>
  %below = arith.cmpi slt, %c2, %ns : tensor<1x1024xi32>
  %m = tt.broadcast %below : tensor<1x1024xi1> -> tensor<2x1024xi1>
  %ps = tt.splat %from : !tt.ptr<f32> -> tensor<2x1024x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %i : tensor<2x1024x!tt.ptr<f32>>, tensor<2x1024xi32>
  %x = tt.load %pi, %m, %none : tensor<2x1024x!tt.ptr<f32>>
  %max = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.maxnumf %a, %b : f32
    tt.reduce.return %1 : f32
  }) : (tensor<2x1024xf32>) -> tensor<2xf32>
  %max2 = tt.expand_dims %max {axis = 1 : i32} : tensor<2xf32> -> tensor<2x1xf32>
  %maxs = tt.broadcast %max2 : tensor<2x1xf32> -> tensor<2x1024xf32>
  %shifted = arith.subf %x, %maxs : tensor<2x1024xf32>
  %e = math.exp %shifted : tensor<2x1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    tt.reduce.return %1 : f32
  }) : (tensor<2x1024xf32>) -> tensor<2xf32>
  %sum2 = tt.expand_dims %sum {axis = 1 : i32} : tensor<2xf32> -> tensor<2x1xf32>
  %sums = tt.broadcast %sum2 : tensor<2x1xf32> -> tensor<2x1024xf32>
  %y = arith.divf %e, %sums : tensor<2x1024xf32>
  %os = tt.splat %to : !tt.ptr<f32> -> tensor<2x1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<2x1024x!tt.ptr<f32>>, tensor<2x1024xi32>
  tt.store %o, %y, %m : tensor<2x1024x!tt.ptr<f32>>
  tt.return
}
