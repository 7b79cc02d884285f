// test rule Sort TopK
// The sorted dim exchanges elements, of keys and values alike. What top_k finds stays together; what it searches may be split.
func.func public @main(%x: tensor<4x6xf32>, %n: tensor<4x6xi32>) -> tensor<4x6xf32> {
  %s:2 = "stablehlo.sort"(%x, %n) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %e = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %e : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  %best, %at = chlo.top_k(%x, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %s#0 : tensor<4x6xf32>
}
//| %7, %8 = sort: ([i, j], [i, j])->([i, j], [i, j]) {i=4, j=6} permutation={j}
//| %best, %at = top_k: ([i, j])->([i, k], [i, k]) {i=4, j=6, k=2} permutation={j} need_replication={k}
