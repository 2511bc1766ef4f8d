// The work estimate of an image: includes operations of inlined helpers, and
// loops times their trip count. If that depends on values of the launch, the work
// is a formula of them; if on memory, it is a guess, with a flag (8). Atomic
// operations (1), prints (2) and assertions (4) are flags too, and atomic
// operations of programs that never wait for each other (16).
// RUN: split-file %s %t
// RUN: nereid compile %t/helper.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=HELPER
// RUN: nereid compile %t/constant.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=CONSTANT
// RUN: nereid compile %t/launch.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=LAUNCH
// RUN: nereid compile %t/nested.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=NESTED
// RUN: nereid compile %t/nested.mlir --target cpu --stop-after asm -o - | FileCheck %s --check-prefix=IMAGE
// RUN: nereid compile %t/unknown.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=UNKNOWN
// RUN: nereid compile %t/volatile.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=VOLATILE
// HELPER: !{!"flags", i64 23}
// HELPER: !{!"bytes_per_program", i64 256}
// 100 iterations of an inner loop that loads and stores 64 elements.
// CONSTANT: !{!"flags", i64 0}
// CONSTANT: !{!"bytes_per_program", i64 51204}
// 256 * max(n, 0) + 4 bytes.
// LAUNCH: !{!"flags", i64 0}
// LAUNCH: !{!"bytes_per_program", i64 0}
// LAUNCH: !{!"work", i64 1, i64 8, i64 4}
// LAUNCH: !{!"work", i64 0, i64 0, i64 0}
// LAUNCH: !{!"work", i64 11, i64 0, i64 1}
// LAUNCH: !{!"work", i64 0, i64 256, i64 0}
// LAUNCH: !{!"work", i64 6, i64 2, i64 [[#BYTES:]]}
// LAUNCH: !{!"work", i64 0, i64 4, i64 0}
// LAUNCH: !{!"work", i64 4, i64 [[#BYTES + 1]], i64 {{[0-9]+}}}
// The quotient that Triton writes for cdiv(n, 32), and a loop up to a program's
// number times two: a mean of the grid.
// NESTED: !{!"flags", i64 0}
// NESTED: !{!"work", i64 2, i64 1, i64 0}
// NESTED: !{!"work", i64 0, i64 31, i64 0}
// NESTED: !{!"work", i64 7, i64 {{[0-9]+}}, i64 {{[0-9]+}}}
// NESTED: !{!"work", i64 8, i64 {{[0-9]+}}, i64 {{[0-9]+}}}
// The last steps: atomic operations, which are none, what is stored, of which
// some may stream, bytes and operations.
// IMAGE: nereid_cpu_kernel_v3:
// IMAGE: .quad 0
// IMAGE-NEXT: .quad 0
// IMAGE-NEXT: .quad {{0|256}}
// IMAGE-NEXT: .quad .L
// IMAGE-NEXT: .quad 29
// IMAGE-NEXT: .quad 0
// IMAGE-NEXT: .quad 0
// IMAGE-NEXT: .quad 0
// IMAGE-NEXT: .quad 26
// IMAGE-NEXT: .quad 0
// IMAGE-NEXT: .quad 0
// IMAGE: .size nereid_cpu_kernel_v3
// UNKNOWN: !{!"flags", i64 8}
// UNKNOWN: !{!"bytes_per_program", i64 4104}
// VOLATILE: !{!"flags", i64 17}

//--- helper.mlir
module {
tt.func private @talk(%p: !tt.ptr<i32>) attributes {noinline = true} {
  %c1 = arith.constant 1 : i32
  %t = arith.constant true
  %o = tt.atomic_rmw add, acq_rel, gpu, %p, %c1, %t : (!tt.ptr<i32>, i32, i1) -> i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %q, %i : tensor<64x!tt.ptr<i32>>
  tt.print " old: " {hex = false, isSigned = array<i32: 1>} : %o : i32
  %ok = arith.cmpi ne, %o, %c1 : i32
  tt.assert %ok, "it is one" : i1
  tt.return
}
tt.func public @calls(%p: !tt.ptr<i32>) {
  tt.call @talk(%p) : (!tt.ptr<i32>) -> ()
  tt.return
}
}

//--- constant.mlir
tt.func public @loops(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c10 = arith.constant 10 : i32
  %c28 = arith.constant 28 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %sum = scf.for %a = %c0 to %c10 step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %inner = scf.for %b = %c0 to %c28 step %c3 iter_args(%t = %s) -> (i32) : i32 {
      %x = tt.load %q : tensor<64x!tt.ptr<i32>>
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%u: i32, %v: i32):
        %w = arith.addi %u, %v : i32
        tt.reduce.return %w : i32
      }) : (tensor<64xi32>) -> i32
      %n = arith.addi %t, %r : i32
      tt.store %q, %x : tensor<64x!tt.ptr<i32>>
      scf.yield %n : i32
    }
    scf.yield %inner : i32
  }
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}

//--- launch.mlir
tt.func public @loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %sum = scf.for %a = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %as = tt.splat %a : i32 -> tensor<64xi32>
    %at = tt.addptr %q, %as : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %x = tt.load %at : tensor<64x!tt.ptr<i32>>
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<64xi32>) -> i32
    %t = arith.addi %s, %r : i32
    scf.yield %t : i32
  }
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}

//--- nested.mlir
tt.func public @nested(%p: !tt.ptr<i32>, %n: i32, %unused: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %y = tt.get_program_id y : i32
  %end = arith.muli %y, %c2 : i32
  %up = arith.addi %n, %c31 : i32
  %blocks = arith.divsi %up, %c32 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  scf.for %a = %c0 to %end step %c1 : i32 {
    scf.for %b = %a to %blocks step %c2 : i32 {
      %at = arith.addi %a, %b : i32
      %ats = tt.splat %at : i32 -> tensor<64xi32>
      %offset = arith.addi %ats, %i : tensor<64xi32>
      %q = tt.addptr %ps, %offset : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      tt.store %q, %i : tensor<64x!tt.ptr<i32>>
    }
  }
  tt.return
}

//--- unknown.mlir
tt.func public @loop(%p: !tt.ptr<i32>, %m: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tt.load %m : !tt.ptr<i32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %sum = scf.for %a = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %as = tt.splat %a : i32 -> tensor<64xi32>
    %at = tt.addptr %q, %as : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %x = tt.load %at : tensor<64x!tt.ptr<i32>>
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<64xi32>) -> i32
    %t = arith.addi %s, %r : i32
    scf.yield %t : i32
  }
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}

//--- volatile.mlir
tt.func public @reads(%p: !tt.ptr<i32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %q {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  tt.store %q, %x : tensor<64x!tt.ptr<i32>>
  tt.return
}
