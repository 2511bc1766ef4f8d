// Programs that each reduce and write a column run together, 16 at once: what differs between
// them has one more dimension. Groups end where a row of columns does, and where the grid does.
// Whether they do so depends on the launch only.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-side-by-side --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 111 f32[3,40,37]=random f32[3,40,37]=zeros f32[111]=zeros i32=40 i32=37 --save 1=%t.1.npy --save 2=%t.2.npy
// RUN: nereid run %s --target cpu --grid 111 f32[3,40,37]=random f32[3,40,37]=zeros f32[111]=zeros i32=40 i32=37 --expect 1=%t.1.npy,1e-5,1e-5 --expect 2=%t.2.npy,1e-5,1e-5
// RUN: nereid run %s --target cpu -O vector_bits=256 --grid 111 f32[3,40,37]=random f32[3,40,37]=zeros f32[111]=zeros i32=40 i32=37 --expect 1=%t.1.npy,1e-5,1e-5 --expect 2=%t.2.npy,1e-5,1e-5

// One after the other, where rows of columns are short.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[3,40,3]=random f32[3,40,3]=zeros f32[9]=zeros i32=40 i32=3 --save 1=%t.1.npy --save 2=%t.2.npy
// RUN: nereid run %s --target cpu --grid 9 f32[3,40,3]=random f32[3,40,3]=zeros f32[9]=zeros i32=40 i32=3 --expect 1=%t.1.npy,1e-5,1e-5 --expect 2=%t.2.npy,1e-5,1e-5

// The results do not depend on the number of threads.
// RUN: nereid run %s --target cpu -O threads=1 --grid 2000 f32[2,40,1000]=random f32[2,40,1000]=zeros f32[2000]=zeros i32=40 i32=1000 --save 1=%t.1.npy --save 2=%t.2.npy
// RUN: nereid run %s --target cpu -O threads=3 --grid 2000 f32[2,40,1000]=random f32[2,40,1000]=zeros f32[2000]=zeros i32=40 i32=1000 --expect 1=%t.1.npy,0,0 --expect 2=%t.2.npy,0,0

// CHECK: up to 16 programs side by side along x:
// CHECK: nest [64x16] axis 1 lanes 16
// CHECK: reduce
// CHECK: alone:
// CHECK: nest [64] axis 0
// ALONE-NOT: side by side

tt.func public @softmax_of_columns(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %sums: !tt.ptr<f32>, %height: i32, %width: i32) {
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %pid = tt.get_program_id x : i32
  %matrix = arith.divsi %pid, %width : i32
  %column = arith.remsi %pid, %width : i32
  %size = arith.muli %height, %width : i32
  %start = arith.muli %matrix, %size : i32
  %first = arith.addi %start, %column : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %heights = tt.splat %height : i32 -> tensor<64xi32>
  %widths = tt.splat %width : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %i, %heights : tensor<64xi32>
  %rows = arith.muli %i, %widths : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %offsets = arith.addi %firsts, %rows : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %px = tt.addptr %xs, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %px, %inside, %low : tensor<64x!tt.ptr<f32>>
  %max = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<64xf32>) -> f32
  %maxs = tt.splat %max : f32 -> tensor<64xf32>
  %d = arith.subf %v, %maxs : tensor<64xf32>
  %e = math.exp %d : tensor<64xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32>) -> f32
  %all = tt.splat %sum : f32 -> tensor<64xf32>
  %r = arith.divf %e, %all : tensor<64xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %po = tt.addptr %outs, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %po, %r, %inside : tensor<64x!tt.ptr<f32>>
  %ps = tt.addptr %sums, %pid : !tt.ptr<f32>, i32
  tt.store %ps, %sum : !tt.ptr<f32>
  tt.return
}
