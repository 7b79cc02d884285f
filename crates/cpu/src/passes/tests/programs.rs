//! Programs that faults are planted in: each as small as the fault allows.

/// `%a` is read by the second product, after `%b` is made of it.
pub const READ_LATER: &str = "
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.exponential %a : tensor<8x8xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
";

/// `%a` dies in the product that makes `%c`. The second parameter is given away.
pub const CHAIN: &str = "
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32> {jax.buffer_donor = true}) -> (tensor<8x8xf32>) {
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = stablehlo.dot_general %c, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
";

/// The body multiplies the new value by the old one and by `%a` from before the loop; a second carry is made of the
/// first.
pub const OLD_AND_NEW: &str = "
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r:3 = stablehlo.while(%c = %x, %d = %x, %i = %zero) : tensor<8x8xf32>, tensor<8x8xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %t = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %s = stablehlo.dot_general %t, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %u = stablehlo.dot_general %s, %c, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %v = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %u, %v, %j : tensor<8x8xf32>, tensor<8x8xf32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
";

/// Two loops store their results as halves of one array.
pub const HALVES: &str = "
func.func @main(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<16x64xf32>, tensor<8x64xf32>) {
  %a = stablehlo.exponential %x : tensor<8x64xf32>
  %b = stablehlo.negate %y : tensor<8x64xf32>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<16x64xf32>
  %m = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x64xf32>) -> tensor<64x8xf32>
  %d = stablehlo.dot_general %b, %m, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %e = stablehlo.dot_general %d, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %c, %e : tensor<16x64xf32>, tensor<8x64xf32>
}
";

/// A row of `%a` is written into a copy of it; loops read both, a product the copy.
pub const UPDATED: &str = "
func.func @main(%x: tensor<8x8xf32>, %w: tensor<1x8xf32>, %i: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = stablehlo.exponential %a : tensor<8x8xf32>
  %u = stablehlo.dynamic_update_slice %a, %w, %i, %zero : (tensor<8x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
  %f = stablehlo.negate %u : tensor<8x8xf32>
  %p = stablehlo.dot_general %u, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %e, %f, %p : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
";

/// Both arms make the result.
pub const ARMS: &str = "
func.func @main(%p: tensor<i1>, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %r = \"stablehlo.if\"(%p) ({
    %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %a : tensor<8x8xf32>
  }, {
    %b = stablehlo.exponential %x : tensor<8x8xf32>
    stablehlo.return %b : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  %c = stablehlo.dot_general %r, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
";

/// Rows of `%a`, seen where they are, are read after `%b` is made of all of it.
pub const PART: &str = "
func.func @main(%x: tensor<8x8xf32>, %i: tensor<i32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.dynamic_slice %a, %i, %zero, sizes = [4, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %b = stablehlo.exponential %a : tensor<8x8xf32>
  %c = stablehlo.dot_general %b, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = stablehlo.dot_general %s, %x, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %c, %q : tensor<8x8xf32>, tensor<4x8xf32>
}
";

pub const ALL: [&str; 7] = [READ_LATER, CHAIN, OLD_AND_NEW, HALVES, UPDATED, ARMS, PART];
