//! A number that tells programs apart: ranks compare theirs before they run, and what is stored is held against it.

use meshwright_ir::{Module, Op, ValueId};

/// 64-bit FNV-1a over the program in order: ops with their attributes, operands by number, types.
pub fn fingerprint(module: &Module) -> u64 {
    let mut hash = Fnv::new();
    hash.text(&format!("{:?} {:?}", module.num_partitions, module.num_replicas));
    for func in module.funcs.values() {
        let mut order = vec![0usize; func.value_count()];
        let mut next = 1;
        let mut number = |values: &[ValueId], order: &mut Vec<usize>| {
            for value in values {
                order[meshwright_base::Id::index(*value)] = next;
                next += 1;
            }
        };
        number(func.param_values(), &mut order);
        for inst in func.insts_in_order() {
            let body = func.inst(inst);
            match &body.op {
                Op::Constant(constant) => hash.bytes(&constant.0.element_bytes()),
                op => hash.text(&format!("{op:?}")),
            }
            for region in &body.regions {
                number(&func.block(*region).params, &mut order);
            }
            number(&body.results, &mut order);
            body.operands.iter().for_each(|value| hash.word(order[meshwright_base::Id::index(*value)]));
            body.results.iter().for_each(|value| hash.text(&func.ty(*value).to_string()));
        }
        func.result_values().iter().for_each(|value| hash.word(order[meshwright_base::Id::index(*value)]));
    }
    hash.0
}

/// The same of bytes, part by part.
pub fn of_bytes(parts: &[&[u8]]) -> u64 {
    let mut hash = Fnv::new();
    for part in parts {
        hash.word(part.len());
        hash.bytes(part);
    }
    hash.0
}

/// The bytes that tell a constant from others.
trait ElementBytes {
    fn element_bytes(&self) -> std::sync::Arc<[u8]>;
}

impl ElementBytes for meshwright_ir::Literal {
    fn element_bytes(&self) -> std::sync::Arc<[u8]> {
        match self.as_splat() {
            Some(element) => element.into(),
            None => self.to_bytes(),
        }
    }
}

struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    fn word(&mut self, word: usize) {
        self.bytes(&(word as u64).to_le_bytes());
    }
}
