// Programs take turns in a loop whose right operands are the same for all of them: the
// first copies and packs a block for the others. Their own tiles are apart.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=-dot-turns --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// A program could wait for another before the loop, or in it.
// RUN: sed 's/^  %%pid = .*/&\n  %%true = arith.constant true\n  %%old = tt.atomic_rmw add, acq_rel, gpu, %%trips, %%c1, %%true : (!tt.ptr<i32>, i32, i1) -> i32/' %s > %t.atomic.mlir
// RUN: nereid compile %t.atomic.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/^    scf.yield/    tt.store %%o_at, %%scores : tensor<16x16x!tt.ptr<f32>>\n&/' %s > %t.store.mlir
// RUN: nereid compile %t.store.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// Nothing is shared if operands depend on what a program carries.
// RUN: sed 's/tt.addptr %%k_tile, %%step_o/tt.addptr %%k_tile, %%carried_o/; s/tt.addptr %%v_tile, %%step_o/tt.addptr %%v_tile, %%carried_o/' %s > %t.carried.mlir
// RUN: nereid compile %t.carried.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// ALONE: scf.for{{$}}

// Eleven programs of two heads, which turn after the fourth and the eighth one: as
// many iterations in all, in each head, and in each program; none.
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O fast_paths=none --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=zeros i32[3]=ones f32[11]=zeros --save 2=%t.npy --save 4=%t.m.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O threads=1 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=zeros i32[3]=ones f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O threads=2 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=zeros i32[3]=ones f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O fast_paths=none --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=zeros f32[11]=zeros --save 2=%t.npy --save 4=%t.m.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O threads=1 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=zeros f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5

// Programs that return before the loop take no turn, and leave none out: every other
// one, and all. Those that return after it do not take turns.
// RUN: sed 's/^  %%end = .*/&\n  %%isPast = arith.cmpi sge, %%own, %%more : i32\n  cf.cond_br %%isPast, ^bb1, ^bb2\n^bb1:\n  tt.return\n^bb2:/' %s > %t.return.mlir
// RUN: nereid compile %t.return.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=TURNS
// TURNS: programs take turns
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.return.mlir --target cpu -O fast_paths=none --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=ones f32[11]=zeros --save 2=%t.npy --save 4=%t.m.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.return.mlir --target cpu -O threads=1 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=ones f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.return.mlir --target cpu -O threads=2 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=ones f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.return.mlir --target cpu -O fast_paths=none --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=zeros f32[11]=zeros --save 2=%t.npy --save 4=%t.m.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.return.mlir --target cpu -O threads=1 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=zeros f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.return.mlir --target cpu -O threads=2 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=ones i32[3]=zeros f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: sed 's/^  %%highest = .*/  %%isPast = arith.cmpi sge, %%own, %%more : i32\n  cf.cond_br %%isPast, ^bb1, ^bb2\n^bb1:\n  tt.return\n^bb2:\n&/' %s > %t.later.mlir
// RUN: nereid compile %t.later.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// A product that starts at the same values in all programs replaces them by its own.
// RUN: sed 's/tt.dot %%query, %%turned, %%zero/tt.dot %%query, %%turned, %%half/' %s > %t.half.mlir
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.half.mlir --target cpu -O fast_paths=none --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=zeros i32[3]=ones f32[11]=zeros --save 2=%t.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.half.mlir --target cpu -O threads=1 --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=zeros i32[3]=ones f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.half.mlir --target cpu -O threads=1 -O fast_paths=all,-dot-kernel --grid 11 f32[176,16]=random:1 f32[96,16]=random:2 f32[176,16]=zeros i32[3]=ones f32[11]=zeros --expect 2=%t.npy,1e-5,1e-5

// With heads along x and their rows along z, programs run along z first.
// RUN: sed 's/^  %%pid = .*/  %%along_x = tt.get_program_id x : i32\n  %%along_z = tt.get_program_id z : i32\n  %%first_of_head = arith.muli %%along_x, %%c4 : i32\n  %%pid = arith.addi %%first_of_head, %%along_z : i32/; s/arith.divui %%pid, %%c4/arith.addi %%along_x, %%c0/' %s > %t.z.mlir
// RUN: nereid compile %t.z.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-Z
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.z.mlir --target cpu -O fast_paths=none --grid 2,1,4 f32[128,16]=random:1 f32[64,16]=random:2 f32[128,16]=zeros i32[2]=ones f32[8]=zeros --save 2=%t.npy --save 4=%t.m.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.z.mlir --target cpu -O threads=1 --grid 2,1,4 f32[128,16]=random:1 f32[64,16]=random:2 f32[128,16]=zeros i32[2]=ones f32[8]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.z.mlir --target cpu -O threads=2 --grid 2,1,4 f32[128,16]=random:1 f32[64,16]=random:2 f32[128,16]=zeros i32[2]=ones f32[8]=zeros --expect 2=%t.npy,1e-5,1e-5 --expect 4=%t.m.npy,1e-5,1e-5
// ALONG-Z: programs along z first
// ALONG-Z: programs take turns
// ALONG-Z: !{!"flags", i64 72}

// The queries, the sums and the maxima, in two buffers, are those of a program.
// CHECK: b[[SUMS:[0-9]+]] [16x16] f32 x8 at
// CHECK: scf.for, up to 8 programs take turns, sharing b{{[0-9]+ b[0-9]+ b[0-9]+}} by %{{[^,]+}}, %{{[^,]+$}}
// CHECK-NEXT: carry %{{.+}} in b[[SUMS]]{{$}}
// CHECK-NEXT: carry %{{.+}} in b{{[0-9]+}}, b{{[0-9]+}}{{$}}
tt.func public @turns(%q: !tt.ptr<f32>, %k: !tt.ptr<f32>, %o: !tt.ptr<f32>, %trips: !tt.ptr<i32>, %m: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %c256 = arith.constant 256 : i32
  %pitch = arith.constant dense<16> : tensor<16x1xi32>
  %half = arith.constant dense<0.5> : tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %least = arith.constant dense<-1.0> : tensor<16xf32>
  %pid = tt.get_program_id x : i32
  %head = arith.divui %pid, %c4 : i32
  %trips_at = tt.addptr %trips, %head : !tt.ptr<i32>, i32
  %more = tt.load %trips_at : !tt.ptr<i32>
  %own = arith.remui %pid, %c2 : i32
  %least_trips = arith.addi %more, %own : i32
  %end = arith.muli %least_trips, %more : i32
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %rows, %pitch : tensor<16x1xi32>
  %starts_b = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns_b = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %starts_b, %columns_b : tensor<16x16xi32>
  %first = arith.muli %pid, %c256 : i32
  %q_first = tt.addptr %q, %first : !tt.ptr<f32>, i32
  %q_tile = tt.splat %q_first : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %q_at = tt.addptr %q_tile, %offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %query = tt.load %q_at : tensor<16x16x!tt.ptr<f32>>
  %o_first = tt.addptr %o, %first : !tt.ptr<f32>, i32
  %o_tile = tt.splat %o_first : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %o_at = tt.addptr %o_tile, %offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %head_first = arith.muli %head, %c16 : i32
  %head_row = arith.muli %head_first, %c32 : i32
  %k_first = tt.addptr %k, %head_row : !tt.ptr<f32>, i32
  %k_tile = tt.splat %k_first : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %v_first = tt.addptr %k_first, %c16 : !tt.ptr<f32>, i32
  %v_tile = tt.splat %v_first : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %sums:3 = scf.for %t = %c0 to %end step %c1 iter_args(%sum = %zero, %peak = %least, %place = %pid) -> (tensor<16x16xf32>, tensor<16xf32>, i32) : i32 {
    %step = arith.muli %t, %c16 : i32
    %step_t = tt.splat %step : i32 -> tensor<16x16xi32>
    %step_o = arith.addi %step_t, %offsets : tensor<16x16xi32>
    %carried_t = tt.splat %place : i32 -> tensor<16x16xi32>
    %carried_o = arith.addi %carried_t, %step_o : tensor<16x16xi32>
    %k_at = tt.addptr %k_tile, %step_o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %keys = tt.load %k_at : tensor<16x16x!tt.ptr<f32>>
    %turned = tt.trans %keys {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
    %scores = tt.dot %query, %turned, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %top = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %next_peak = arith.maxnumf %peak, %top : tensor<16xf32>
    %grown = arith.subf %next_peak, %peak : tensor<16xf32>
    %grown_e = tt.expand_dims %grown {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %grown_b = tt.broadcast %grown_e : tensor<16x1xf32> -> tensor<16x16xf32>
    %kept = arith.mulf %sum, %half : tensor<16x16xf32>
    %moved = arith.addf %kept, %grown_b : tensor<16x16xf32>
    %v_at = tt.addptr %v_tile, %step_o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %values = tt.load %v_at : tensor<16x16x!tt.ptr<f32>>
    %out = tt.dot %scores, %values, %moved : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %next_place = arith.addi %place, %c1 : i32
    scf.yield %out, %next_peak, %next_place : tensor<16x16xf32>, tensor<16xf32>, i32
  }
  %highest = "tt.reduce"(%sums#1) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.maxnumf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16xf32>) -> f32
  tt.store %o_at, %sums#0 : tensor<16x16x!tt.ptr<f32>>
  %m_at = tt.addptr %m, %pid : !tt.ptr<f32>, i32
  tt.store %m_at, %highest : !tt.ptr<f32>
  tt.return
}
