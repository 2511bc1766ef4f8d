// Locations as Triton writes them survive, names of arguments included.
// RUN: nereid-opt -mlir-print-debuginfo %s | FileCheck %s
// RUN: nereid-opt -mlir-print-debuginfo -emit-bytecode %s | nereid-opt -mlir-print-debuginfo | FileCheck %s

// CHECK: tt.func public @k(%{{.*}}: i32 loc("n"(#loc))) attributes {noinline = false} {
// CHECK: tt.get_program_id x : i32 loc(#[[CALL:loc[0-9]*]])
// CHECK: llvm.intr.assume %{{.*}} : i1 loc(#[[LINE:loc[0-9]*]])
// CHECK: tt.return loc(#[[UNKNOWN:loc[0-9]*]])
// CHECK-DAG: #[[LINE]] = loc("/src/k.py":11:4)
// CHECK-DAG: #[[CALL]] = loc(callsite(#[[LINE]] at #loc))
// CHECK-DAG: #[[UNKNOWN]] = loc(unknown)
// CHECK-DAG: loc(fused[#[[LINE]], {{.*}}])
#loc = loc("/src/k.py":10:0)
#loc1 = loc("/src/k.py":11:4)
#loc2 = loc(unknown)
module {
  tt.func public @k(%n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32 loc(#loc3)
    %1 = arith.cmpi slt, %0, %n : i32 loc(#loc4)
    llvm.intr.assume %1 : i1 loc(#loc1)
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
#loc3 = loc(callsite(#loc1 at #loc))
#loc4 = loc(fused[#loc1, "x"(#loc)])
