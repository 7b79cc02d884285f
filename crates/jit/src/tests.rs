//! What is written is read back. That code computes what tiles do is tested where tiles are, in `kernels`.

mod decoded;
mod decoded_a64;

struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}
