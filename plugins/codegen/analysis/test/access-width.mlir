// RUN: nereid-forms %s | FileCheck %s

// How many contiguous elements an access of 16 bytes has.

// CHECK-LABEL: @aligned
tt.func public @aligned(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %u: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %m: i32, %s: i32 {tt.divisibility = 2 : i32}) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %fs = tt.splat %first : i32 -> tensor<64xi32>
  %o = arith.addi %fs, %i : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 4{{$}}
  %a = tt.load %q : tensor<64x!tt.ptr<f32>>
  // A mask that changes at a multiple of 16, and one that may change anywhere.
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %o, %ns : tensor<64xi32>
  // CHECK: widest access in dimension 0: 4{{$}}
  %b = tt.load %q, %inside : tensor<64x!tt.ptr<f32>>
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  %ragged = arith.cmpi slt, %o, %ms : tensor<64xi32>
  // CHECK: widest access in dimension 0: 1{{$}}
  %c = tt.load %q, %ragged : tensor<64x!tt.ptr<f32>>
  %hinted = arith.cmpi slt, %o, %ms {tt.constancy = dense<2> : tensor<1xi32>} : tensor<64xi32>
  // CHECK: widest access in dimension 0: 2{{$}}
  %d = tt.load %q, %hinted : tensor<64x!tt.ptr<f32>>
  // A pointer that is not known to be aligned; an odd start.
  %us = tt.splat %u : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %uq = tt.addptr %us, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 1{{$}}
  %e = tt.load %uq : tensor<64x!tt.ptr<f32>>
  %ss = tt.splat %s : i32 -> tensor<64xi32>
  %so = arith.addi %o, %ss : tensor<64xi32>
  %sq = tt.addptr %ps, %so : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 2{{$}}
  %f = tt.load %sq : tensor<64x!tt.ptr<f32>>
  // Not next to each other; and so by a hint.
  %rem = arith.remsi %o, %ms : tensor<64xi32>
  %rq = tt.addptr %ps, %rem : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 1{{$}}
  %g = tt.load %rq : tensor<64x!tt.ptr<f32>>
  %run = arith.remsi %o, %ms {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<64> : tensor<1xi32>} : tensor<64xi32>
  %hq = tt.addptr %ps, %run : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 4{{$}}
  %h = tt.load %hq : tensor<64x!tt.ptr<f32>>
  tt.return
}

// The row stride aligns the rows after the first.
// CHECK-LABEL: @rows
tt.func public @rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 4 : i32}) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ss = tt.splat %s : i32 -> tensor<16x1xi32>
  %rs = arith.muli %re, %ss : tensor<16x1xi32>
  %rb = tt.broadcast %rs : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tt.broadcast %ce : tensor<1x32xi32> -> tensor<16x32xi32>
  %o = arith.addi %rb, %cb : tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %q = tt.addptr %ps, %o : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  // CHECK: widest access in dimension 0: 1{{$}}
  // CHECK: widest access in dimension 1: 4{{$}}
  %x = tt.load %q : tensor<16x32x!tt.ptr<f16>>
  tt.return
}

// Remainders ascend in groups that start at multiples of the modulus's divisor;
// a modulus or a start that is not known may end a group anywhere.
// CHECK-LABEL: @remainders
tt.func public @remainders(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32, %s: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %fs = tt.splat %first : i32 -> tensor<64xi32>
  %o = arith.addi %fs, %i : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %r = arith.remsi %o, %ns : tensor<64xi32>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 4{{$}}
  %a = tt.load %q : tensor<64x!tt.ptr<f32>>
  %c6 = arith.constant dense<6> : tensor<64xi32>
  %r6 = arith.remui %o, %c6 : tensor<64xi32>
  %q6 = tt.addptr %ps, %r6 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 2{{$}}
  %b = tt.load %q6 : tensor<64x!tt.ptr<f32>>
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  %rm = arith.remsi %o, %ms : tensor<64xi32>
  %qm = tt.addptr %ps, %rm : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 1{{$}}
  %c = tt.load %qm : tensor<64x!tt.ptr<f32>>
  %ss = tt.splat %s : i32 -> tensor<64xi32>
  %os = arith.addi %o, %ss : tensor<64xi32>
  %rs = arith.remsi %os, %ns : tensor<64xi32>
  %qs = tt.addptr %ps, %rs : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: widest access in dimension 0: 1{{$}}
  %d = tt.load %qs : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A loop carries multiples of what it starts from and adds; two that it swaps
// are multiples of what divides both.
// CHECK-LABEL: @carried
tt.func public @carried(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %r:4 = scf.for %iv = %c0 to %m step %c4 iter_args(%k = %c0, %odd = %c0, %x = %c4, %y = %c2) -> (i32, i32, i32, i32) : i32 {
    %ks = tt.splat %k : i32 -> tensor<64xi32>
    %ko = arith.addi %ks, %i : tensor<64xi32>
    %kq = tt.addptr %ps, %ko : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    // CHECK: widest access in dimension 0: 4{{$}}
    %a = tt.load %kq : tensor<64x!tt.ptr<f32>>
    %ivs = tt.splat %iv : i32 -> tensor<64xi32>
    %ivo = arith.addi %ivs, %i : tensor<64xi32>
    %ivq = tt.addptr %ps, %ivo : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    // CHECK: widest access in dimension 0: 4{{$}}
    %b = tt.load %ivq : tensor<64x!tt.ptr<f32>>
    %os = tt.splat %odd : i32 -> tensor<64xi32>
    %oo = arith.addi %os, %i : tensor<64xi32>
    %oq = tt.addptr %ps, %oo : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    // CHECK: widest access in dimension 0: 1{{$}}
    %c = tt.load %oq : tensor<64x!tt.ptr<f32>>
    %xs = tt.splat %x : i32 -> tensor<64xi32>
    %xo = arith.addi %xs, %i : tensor<64xi32>
    %xq = tt.addptr %ps, %xo : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    // CHECK: widest access in dimension 0: 2{{$}}
    %d = tt.load %xq : tensor<64x!tt.ptr<f32>>
    %kn = arith.addi %k, %n : i32
    %on = arith.addi %odd, %c1 : i32
    scf.yield %kn, %on, %y, %x : i32, i32, i32, i32
  }
  tt.return
}
