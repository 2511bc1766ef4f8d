// Programs take turns in a loop in which each reads one block of many, if their
// blocks are neighbours, or rows, and an iteration only loads and stores. An
// atomic sum after it makes no program wait for another (16), a loop until memory
// changes may.
// RUN: split-file %s %t
// RUN: nereid compile %t/sum.mlir --target cpu --stop-after llir -o - | FileCheck %t/sum.mlir
// RUN: nereid compile %t/sum.mlir --target cpu -O fast_paths=all,-interleaved-programs --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: nereid run %t/sum.mlir --target cpu --grid 40 f32[1000000]=ones f32[1]=zeros i32=1000000 --no-cache --save 1=%t/sum.npy
// RUN: nereid run %t/sum.mlir --target cpu -O fast_paths=none --grid 40 f32[1000000]=ones f32[1]=zeros i32=1000000 --no-cache --expect 1=%t/sum.npy
// RUN: nereid compile %t/rows.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: nereid compile %t/short.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: nereid compile %t/atomic.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: nereid compile %t/store.mlir --target cpu --stop-after llir -o - | FileCheck %t/store.mlir
// RUN: nereid run %t/store.mlir --target cpu --grid 40 f32[1000448]=random i32=1000448 --no-cache --save 0=%t/store.npy
// RUN: nereid run %t/store.mlir --target cpu -O fast_paths=none --grid 40 f32[1000448]=random i32=1000448 --no-cache --expect 0=%t/store.npy
// RUN: nereid compile %t/matrix.mlir --target cpu --stop-after llir -o - | FileCheck %t/matrix.mlir
// RUN: nereid run %t/matrix.mlir --target cpu --grid 40 f32[999,1024]=random f32[999,1024]=zeros i32=1024 i32=999 --no-cache --save 1=%t/matrix.npy
// RUN: nereid run %t/matrix.mlir --target cpu -O fast_paths=none --grid 40 f32[999,1024]=random f32[999,1024]=zeros i32=1024 i32=999 --no-cache --expect 1=%t/matrix.npy
// RUN: nereid compile %t/bound.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefixes=ALONE,WAITS

// ALONE: scf.for{{$}}
// WAITS: !{!"flags", i64 9}

//--- sum.mlir
// CHECK: scf.for, up to 64 programs take turns{{$}}
// CHECK: !{!"flags", i64 145}
tt.func public @sum(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c1024 : i32
  %programs = tt.get_num_programs x : i32
  %stride = arith.muli %programs, %c1024 : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %sums = scf.for %k = %first to %n step %stride iter_args(%sum = %zero) -> (tensor<1024xf32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<1024xi32>
    %o = arith.addi %ks, %i : tensor<1024xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<1024xi32>
    %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %q, %m, %zero : tensor<1024x!tt.ptr<f32>>
    %next = arith.addf %sum, %x : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %sum = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %out, %sum, %true : (!tt.ptr<f32>, f32, i1) -> f32
  tt.return
}

//--- rows.mlir
// A program reads one block after the other.
tt.func public @rows(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c1024 : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %total = scf.for %k = %first to %n step %c1024 iter_args(%sum = %c0) -> (i32) : i32 {
    %ks = tt.splat %k : i32 -> tensor<1024xi32>
    %o = arith.addi %ks, %i : tensor<1024xi32>
    %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %x = tt.load %q : tensor<1024x!tt.ptr<i32>>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<1024xi32>) -> i32
    %next = arith.addi %sum, %s : i32
    scf.yield %next : i32
  }
  %place = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %place, %total : !tt.ptr<i32>
  tt.return
}

//--- short.mlir
// A turn would cost more than a block of 256 bytes.
tt.func public @short(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c64 : i32
  %programs = tt.get_num_programs x : i32
  %stride = arith.muli %programs, %c64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %total = scf.for %k = %first to %n step %stride iter_args(%sum = %c0) -> (i32) : i32 {
    %ks = tt.splat %k : i32 -> tensor<64xi32>
    %o = arith.addi %ks, %i : tensor<64xi32>
    %q = tt.addptr %ps, %o : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %x = tt.load %q : tensor<64x!tt.ptr<i32>>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<64xi32>) -> i32
    %next = arith.addi %sum, %s : i32
    scf.yield %next : i32
  }
  %place = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %place, %total : !tt.ptr<i32>
  tt.return
}

//--- atomic.mlir
// Another program may wait for what an iteration adds.
tt.func public @atomic(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %true = arith.constant true
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c1024 : i32
  %programs = tt.get_num_programs x : i32
  %stride = arith.muli %programs, %c1024 : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  scf.for %k = %first to %n step %stride : i32 {
    %ks = tt.splat %k : i32 -> tensor<1024xi32>
    %o = arith.addi %ks, %i : tensor<1024xi32>
    %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %q : tensor<1024x!tt.ptr<f32>>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<1024xf32>) -> f32
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %out, %sum, %true : (!tt.ptr<f32>, f32, i1) -> f32
  }
  tt.return
}

//--- matrix.mlir
// Rows, so far apart as an argument says; a row is read again after a store.
// CHECK: scf.for, up to 64 programs take turns{{$}}
tt.func public @matrix(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %pitch: i32, %n: i32) {
  %pid = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  scf.for %row = %pid to %n step %programs : i32 {
    %start = arith.muli %row, %pitch : i32
    %pr = tt.addptr %p, %start : !tt.ptr<f32>, i32
    %ps = tt.splat %pr : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %q = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %q : tensor<1024x!tt.ptr<f32>>
    %or = tt.addptr %out, %start : !tt.ptr<f32>, i32
    %os = tt.splat %or : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %o, %x : tensor<1024x!tt.ptr<f32>>
    %y = tt.load %q : tensor<1024x!tt.ptr<f32>>
    %z = arith.addf %x, %y : tensor<1024xf32>
    tt.store %o, %z : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}

//--- store.mlir
// A block may be one that an iteration of the same program has stored.
// CHECK: scf.for, up to 64 programs take turns{{$}}
tt.func public @store(%p: !tt.ptr<f32>, %n: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c1024 : i32
  %programs = tt.get_num_programs x : i32
  %stride = arith.muli %programs, %c1024 : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  scf.for %k = %first to %n step %stride : i32 {
    %ks = tt.splat %k : i32 -> tensor<1024xi32>
    %o = arith.addi %ks, %i : tensor<1024xi32>
    %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %q : tensor<1024x!tt.ptr<f32>>
    %y = arith.addf %x, %x : tensor<1024xf32>
    tt.store %q, %y : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}

//--- bound.mlir
// The loop's bound is read from memory, once another program has written it.
tt.func public @bound(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %place: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %true = arith.constant true
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c1024 : i32
  %programs = tt.get_num_programs x : i32
  %stride = arith.muli %programs, %c1024 : i32
  %n = scf.while (%seen = %c0) : (i32) -> i32 {
    %old = tt.atomic_rmw add, acquire, gpu, %place, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %waits = arith.cmpi eq, %old, %c0 : i32
    scf.condition(%waits) %old : i32
  } do {
  ^bb0(%seen: i32):
    scf.yield %seen : i32
  }
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %total = scf.for %k = %first to %n step %stride iter_args(%sum = %c0) -> (i32) : i32 {
    %ks = tt.splat %k : i32 -> tensor<1024xi32>
    %o = arith.addi %ks, %i : tensor<1024xi32>
    %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %x = tt.load %q : tensor<1024x!tt.ptr<i32>>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<1024xi32>) -> i32
    %next = arith.addi %sum, %s : i32
    scf.yield %next : i32
  }
  %at = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %at, %total : !tt.ptr<i32>
  tt.return
}
