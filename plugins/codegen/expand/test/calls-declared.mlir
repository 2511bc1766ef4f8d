// A declared function has no body to inline.
// RUN: not nereid-expand %s 2>&1 | FileCheck %s

// CHECK: calls-declared.mlir":[[#@LINE + 4]]:3): error: 'tt.call' op calls 'external', which is declared only, expected a body
tt.func private @external(!tt.ptr<f32>)

tt.func public @kernel(%p: !tt.ptr<f32>) {
  tt.call @external(%p) : (!tt.ptr<f32>) -> ()
  tt.return
}
