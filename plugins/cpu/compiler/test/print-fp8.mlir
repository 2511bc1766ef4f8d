// An fp8 prints as the number that it is, an element of one byte; as bits in
// hexadecimal.
// RUN: nereid run %s --target cpu --grid 1 i8[4]=range --no-cache | FileCheck %s
// 0x38 to 0x3b are 1.0 and what follows in steps of an eighth.
// CHECK: pid (0, 0, 0) idx (0) x: 1.000000
// CHECK-NEXT: pid (0, 0, 0) idx (1) x: 1.125000
// CHECK-NEXT: pid (0, 0, 0) idx (2) x: 1.250000
// CHECK-NEXT: pid (0, 0, 0) idx (3) x: 1.375000
// CHECK-NEXT: pid (0, 0, 0) idx () one: 0.500000
// CHECK-NEXT: pid (0, 0, 0) idx (0) bits: 0x38
// CHECK-NEXT: pid (0, 0, 0) idx (1) bits: 0x39
tt.func public @print(%p: !tt.ptr<i8>) {
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<4x!tt.ptr<i8>>
  %q = tt.addptr %ps, %i : tensor<4x!tt.ptr<i8>>, tensor<4xi32>
  %bytes = tt.load %q : tensor<4x!tt.ptr<i8>>
  %base = arith.constant dense<0x38> : tensor<4xi8>
  %bits = arith.addi %bytes, %base : tensor<4xi8>
  %x = tt.bitcast %bits : tensor<4xi8> -> tensor<4xf8E4M3FN>
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<4xf8E4M3FN>
  %half = arith.constant 0x38 : i8
  %one = tt.bitcast %half : i8 -> f8E5M2
  tt.print " one: " {hex = false, isSigned = array<i32: 0>} : %one : f8E5M2
  tt.print " bits: " {hex = true, isSigned = array<i32: 0>} : %x : tensor<4xf8E4M3FN>
  tt.return
}
