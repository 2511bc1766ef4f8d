// The taps of a filter: loops of three and two iterations that carry a tile are one
// nest. A loop of nine, or with a number of iterations that is not known, remains, and
// so does one that stores.
// RUN: nereid compile %s --target cpu -O fast_paths=all,-element-loops --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-short-loops,-element-loops --stop-after llir -o - | FileCheck %s --check-prefix=LOOPS
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[16,80]=random f32[3,64]=zeros i32=4 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[16,80]=random f32[3,64]=zeros i32=4 --expect 1=%t.npy,1e-5,1e-5

// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: materialize
// CHECK: scf.for
// CHECK-NEXT: carry
// CHECK: scf.for
// CHECK-NOT: carry
// CHECK: store
// CHECK-NOT: scf.for
// LOOPS-COUNT-5: scf.for

tt.func public @taps(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c9 = arith.constant 9 : i32
  %width = arith.constant 80 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pas = tt.splat %pa : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pcs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %rows = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %s) -> (tensor<64xf32>) : i32 {
      %row = arith.addi %i, %j : i32
      %start = arith.muli %row, %width : i32
      %columns = scf.for %k = %c0 to %c2 step %c1 iter_args(%u = %t) -> (tensor<64xf32>) : i32 {
        %first = arith.addi %start, %k : i32
        %firsts = tt.splat %first : i32 -> tensor<64xi32>
        %offsets = arith.addi %firsts, %range : tensor<64xi32>
        %places = tt.addptr %pas, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
        %x = tt.load %places : tensor<64x!tt.ptr<f32>>
        %added = arith.addf %u, %x : tensor<64xf32>
        scf.yield %added : tensor<64xf32>
      }
      scf.yield %columns : tensor<64xf32>
    }
    scf.yield %rows : tensor<64xf32>
  }
  %long = scf.for %j = %c0 to %c9 step %c1 iter_args(%t = %sum) -> (tensor<64xf32>) : i32 {
    %start = arith.muli %j, %width : i32
    %firsts = tt.splat %start : i32 -> tensor<64xi32>
    %offsets = arith.addi %firsts, %range : tensor<64xi32>
    %places = tt.addptr %pas, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %places : tensor<64x!tt.ptr<f32>>
    %larger = arith.maximumf %t, %x : tensor<64xf32>
    scf.yield %larger : tensor<64xf32>
  }
  scf.for %j = %c0 to %c3 step %c1 : i32 {
    %c64 = arith.constant 64 : i32
    %start = arith.muli %j, %c64 : i32
    %firsts = tt.splat %start : i32 -> tensor<64xi32>
    %offsets = arith.addi %firsts, %range : tensor<64xi32>
    %places = tt.addptr %pcs, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %places, %long : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}
