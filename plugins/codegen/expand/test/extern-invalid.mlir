// Errors in calls of external functions, all reported at once.
// RUN: not nereid-expand %s 2>&1 | FileCheck %s

tt.func @f(%x: f32, %n: i32) {
  // CHECK: extern-invalid.mlir":[[@LINE+1]]:{{.*}} error: 'tt.extern_elementwise' op calls the external function '__nv_sinq', which no kernel may call; did you mean '__nv_sin' or
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_sinq"} : (f32) -> f32
  // CHECK: calls the external function 'my_function' of /opt/mine.bc, which no kernel may call{{$}}
  %1 = tt.extern_elementwise %x {libname = "mine", libpath = "/opt/mine.bc", pure = true, symbol = "my_function"} : (f32) -> f32
  // CHECK: calls the external function '__nv_sin' with (f32) for f32, expected (f64) for f64
  %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_sin"} : (f32) -> f32
  // C knows negative orders and CUDA does not, so the name alone will not do.
  // CHECK: calls the external function 'jnf', which no kernel may call
  %3 = tt.extern_elementwise %n, %x {libname = "", libpath = "", pure = true, symbol = "jnf"} : (i32, f32) -> f32
  tt.return
}
