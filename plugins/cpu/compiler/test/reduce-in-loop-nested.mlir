// What an inner loop accumulates and reduces is what the outer loop accumulates:
// both reduce.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 i32[8192]=ones i32[1]=zeros i32=3 --no-cache
// RUN: nereid run %s --target cpu --grid 1 i32[8192]=ones i32[1]=zeros i32=3 -O fast_paths=none --no-cache

// CHECK: scf.for
// CHECK-NOT: carry
// CHECK: scf.for
// CHECK-NEXT: carry {{.*}} in b
// CHECK: nest [64x64]
// CHECK-NEXT: reduce
// CHECK: nest [64]
// CHECK: materialize
// CHECK: nest [64]
// CHECK-NEXT: reduce
// CHECK-NOT: {{; *nest}}

tt.func public @nested(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %zeros = arith.constant dense<0> : tensor<64xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %i0 = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %rows = arith.muli %i1, %pitch : tensor<64x1xi32>
  %rb = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %i0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rb, %cb : tensor<64x64xi32>
  %c4096 = arith.constant 4096 : i32
  %all = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64xi32>) : i32 {
    %block = scf.for %l = %c0 to %c2 step %c1 iter_args(%part = %zero) -> (tensor<64x64xi32>) : i32 {
      %at = arith.muli %l, %c4096 : i32
      %from = tt.addptr %p, %at : !tt.ptr<i32>, i32
      %ps = tt.splat %from : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
      %q = tt.addptr %ps, %o : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
      %x = tt.load %q : tensor<64x64x!tt.ptr<i32>>
      %t = arith.addi %x, %part : tensor<64x64xi32>
      scf.yield %t : tensor<64x64xi32>
    }
    %row = "tt.reduce"(%block) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<64x64xi32>) -> tensor<64xi32>
    %t = arith.addi %sum, %row : tensor<64xi32>
    scf.yield %t : tensor<64xi32>
  }
  %total = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64xi32>) -> i32
  tt.store %out, %total : !tt.ptr<i32>
  %expected = arith.constant 24576 : i32
  %same = arith.cmpi eq, %total, %expected : i32
  tt.assert %same, "a wrong sum" : i1
  tt.return
}
