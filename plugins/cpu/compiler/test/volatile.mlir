// A volatile load of a tile reads memory each time and each element once: not
// before the loop around it, and not by a masked load or a gather, which cannot
// be volatile.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 i32[16]=ones i32[16]=zeros i32=16 --no-cache

// CHECK: tile program @spin
// CHECK: nest [16]
// CHECK-NEXT: materialize
// CHECK: nest [16]
// CHECK-NEXT: reduce
// CHECK: nest [16]
// CHECK-NEXT: mask
// CHECK-NEXT: materialize
// CHECK-NEXT: nest [16]
// CHECK-NEXT: materialize
// CHECK-NEXT: nest [16]
// CHECK-NOT: masked.load
// CHECK-NOT: masked.gather
// CHECK: while:
// CHECK: load volatile <16 x i32>
// CHECK: while.end:
// CHECK-COUNT-16: load volatile i32
// CHECK-NOT: masked.load
// CHECK-NOT: masked.gather

tt.func public @spin(%p: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %c16 = arith.constant 16 : i32
  scf.while : () -> () {
    %x = tt.load %q {isVolatile = true} : tensor<16x!tt.ptr<i32>>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %d = arith.addi %a, %b : i32
      tt.reduce.return %d : i32
    }) : (tensor<16xi32>) -> i32
    %go = arith.cmpi slt, %s, %c16 : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<16xi32>
  %masked = tt.load %q, %m {isVolatile = true} : tensor<16x!tt.ptr<i32>>
  %twos = arith.constant dense<2> : tensor<16xi32>
  %scattered = arith.divsi %i, %twos : tensor<16xi32>
  %g = tt.addptr %ps, %scattered : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %gathered = tt.load %g {isVolatile = true} : tensor<16x!tt.ptr<i32>>
  %sum = arith.addi %masked, %gathered : tensor<16xi32>
  %right = arith.cmpi eq, %sum, %twos : tensor<16xi32>
  tt.assert %right, "a volatile load is wrong" : tensor<16xi1>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %to = tt.addptr %os, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %to, %sum : tensor<16x!tt.ptr<i32>>
  tt.return
}
