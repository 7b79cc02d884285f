//! A batch as a program takes it: arrays by name, row after row, whatever they are of.

use meshwright_ir::DType;
use meshwright_ir::literal::float_bytes;

/// The numbers of an array, row-major.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    Whole(Vec<i32>),
    Real(Vec<f32>),
}

impl Values {
    /// As they lie in memory, in another width where it must be.
    pub fn bytes(&self, dtype: DType) -> Vec<u8> {
        match self {
            Values::Whole(all) if dtype == DType::S32 => {
                all.iter().flat_map(|one| one.to_le_bytes()).collect()
            }
            Values::Real(all) if dtype == DType::F32 => {
                all.iter().flat_map(|one| one.to_le_bytes()).collect()
            }
            Values::Whole(all) => all.iter().flat_map(|one| float_bytes(dtype, f64::from(*one))).collect(),
            Values::Real(all) => all.iter().flat_map(|one| float_bytes(dtype, f64::from(*one))).collect(),
        }
    }
}

/// The arrays of a batch; the first dim of each is the row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Arrays {
    pub list: Vec<(String, Values)>,
}

impl Arrays {
    pub fn get(&self, name: &str) -> Option<&Values> {
        self.list.iter().find(|(known, _)| known == name).map(|(_, values)| values)
    }
}
