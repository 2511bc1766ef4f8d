// An index that is halved as a float is divided as an integer, if no step rounds.
// RUN: nereid-expand %s | FileCheck %s

// CHECK-LABEL: tt.func @halved
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK: arith.divsi %[[REST]], %{{.*}} : tensor<16xi32>
// CHECK-NOT: arith.fptosi
tt.func @halved(%i: tensor<16xi32>) -> tensor<16xi32> {
  %n = arith.constant dense<112> : tensor<16xi32>
  %half = arith.constant dense<5.0e-01> : tensor<16xf32>
  %rest = arith.remsi %i, %n : tensor<16xi32>
  %float = arith.sitofp %rest : tensor<16xi32> to tensor<16xf32>
  %scaled = arith.mulf %float, %half : tensor<16xf32>
  %result = arith.fptosi %scaled : tensor<16xf32> to tensor<16xi32>
  tt.return %result : tensor<16xi32>
}

// Numbers that no f32 is, a factor that rounds, and one that enlarges remain.
// CHECK-LABEL: tt.func @large
// CHECK: arith.fptosi
tt.func @large(%i: tensor<16xi32>) -> tensor<16xi32> {
  %n = arith.constant dense<16777217> : tensor<16xi32>
  %half = arith.constant dense<5.0e-01> : tensor<16xf32>
  %rest = arith.remsi %i, %n : tensor<16xi32>
  %float = arith.sitofp %rest : tensor<16xi32> to tensor<16xf32>
  %scaled = arith.mulf %float, %half : tensor<16xf32>
  %result = arith.fptosi %scaled : tensor<16xf32> to tensor<16xi32>
  tt.return %result : tensor<16xi32>
}

// CHECK-LABEL: tt.func @rounded
// CHECK: arith.fptosi
tt.func @rounded(%i: tensor<16xi32>) -> tensor<16xi32> {
  %n = arith.constant dense<112> : tensor<16xi32>
  %third = arith.constant dense<0.333333343> : tensor<16xf32>
  %rest = arith.remsi %i, %n : tensor<16xi32>
  %float = arith.sitofp %rest : tensor<16xi32> to tensor<16xf32>
  %scaled = arith.mulf %float, %third : tensor<16xf32>
  %result = arith.fptosi %scaled : tensor<16xf32> to tensor<16xi32>
  tt.return %result : tensor<16xi32>
}

// CHECK-LABEL: tt.func @doubled
// CHECK: arith.fptosi
tt.func @doubled(%i: tensor<16xi32>) -> tensor<16xi32> {
  %n = arith.constant dense<112> : tensor<16xi32>
  %two = arith.constant dense<2.0> : tensor<16xf32>
  %rest = arith.remsi %i, %n : tensor<16xi32>
  %float = arith.sitofp %rest : tensor<16xi32> to tensor<16xf32>
  %scaled = arith.mulf %float, %two : tensor<16xf32>
  %result = arith.fptosi %scaled : tensor<16xf32> to tensor<16xi32>
  tt.return %result : tensor<16xi32>
}

// The float of a number that is only known to be an i32.
// CHECK-LABEL: tt.func @unknown
// CHECK: arith.fptosi
tt.func @unknown(%i: tensor<16xi32>) -> tensor<16xi32> {
  %half = arith.constant dense<5.0e-01> : tensor<16xf32>
  %float = arith.sitofp %i : tensor<16xi32> to tensor<16xf32>
  %scaled = arith.mulf %float, %half : tensor<16xf32>
  %result = arith.fptosi %scaled : tensor<16xf32> to tensor<16xi32>
  tt.return %result : tensor<16xi32>
}
