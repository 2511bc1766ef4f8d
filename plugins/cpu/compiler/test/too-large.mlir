// Tiles that need more scratch than a thread may have are refused before any
// code is made; the largest tile by itself is not.
// RUN: split-file %s %t
// RUN: not nereid compile %t/large.mlir --target cpu -O fast_paths=all,-in-place 2>&1 | FileCheck %s
// RUN: nereid compile %t/fits.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=FITS

// CHECK: out of resources: a program needs {{[0-9]+}} bytes of scratch for its tiles, and has 268435456
// FITS: [1048576] f64 at 64

//--- large.mlir
tt.func public @large(%p: !tt.ptr<f64>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32>
  %s = tt.splat %p : !tt.ptr<f64> -> tensor<1048576x!tt.ptr<f64>>
  %a = tt.addptr %s, %r : tensor<1048576x!tt.ptr<f64>>, tensor<1048576xi32>
  %x = tt.load %a : tensor<1048576x!tt.ptr<f64>>
  %y:20 = scf.for %i = %c0 to %n step %c1 iter_args(
      %0 = %x, %1 = %x, %2 = %x, %3 = %x, %4 = %x, %5 = %x, %6 = %x, %7 = %x,
      %8 = %x, %9 = %x, %10 = %x, %11 = %x, %12 = %x, %13 = %x, %14 = %x,
      %15 = %x, %16 = %x, %17 = %x, %18 = %x, %19 = %x)
      -> (tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
          tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
          tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
          tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
          tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
          tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
          tensor<1048576xf64>, tensor<1048576xf64>) : i32 {
    %z = arith.addf %0, %19 : tensor<1048576xf64>
    scf.yield %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,
        %16, %17, %18, %19, %z : tensor<1048576xf64>, tensor<1048576xf64>,
        tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
        tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
        tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
        tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
        tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>,
        tensor<1048576xf64>, tensor<1048576xf64>, tensor<1048576xf64>
  }
  tt.store %a, %y#0 : tensor<1048576x!tt.ptr<f64>>
  tt.return
}

//--- fits.mlir
tt.func public @fits(%p: !tt.ptr<f64>) {
  %r = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32>
  %s = tt.splat %p : !tt.ptr<f64> -> tensor<1048576x!tt.ptr<f64>>
  %a = tt.addptr %s, %r : tensor<1048576x!tt.ptr<f64>>, tensor<1048576xi32>
  %x = tt.load %a : tensor<1048576x!tt.ptr<f64>>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%b: f64, %c: f64):
    %d = arith.addf %b, %c : f64
    tt.scan.return %d : f64
  }) : (tensor<1048576xf64>) -> tensor<1048576xf64>
  tt.store %a, %y : tensor<1048576x!tt.ptr<f64>>
  tt.return
}
