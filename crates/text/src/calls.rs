//! Attributes of custom calls that both text forms write as text of their own.

use meshwright_base::arrange::Arrange;
use meshwright_ir::Type;

/// How an annotating custom call leaves dims open, for messages.
pub const OPEN_DIMS: &str = "`unspecified_dims=[..]`, a list of dims";

/// Reads the dims of `unspecified_dims=[1,2]`; an empty text has none. `None` if the text says something else.
pub fn open_dims(config: &str) -> Option<Vec<usize>> {
    if config.is_empty() {
        return Some(Vec::new());
    }
    let list = config.trim().strip_prefix("unspecified_dims=[")?.strip_suffix(']')?;
    let dims = list.split(',').filter(|_| !list.trim().is_empty());
    dims.map(|dim| dim.trim().parse().ok()).collect()
}

/// Says which of these layouts, `[dense<[0, 1]> : tensor<2xindex>]`, does not list each dim of its type once.
pub fn misfit(text: &str, types: &[&Type]) -> Option<String> {
    let Some(orders) = orders(text) else { return Some(format!("`{text:.60}` lists no dims")) };
    if orders.len() != types.len() {
        return Some(format!("{} layouts do not fit {} types", orders.len(), types.len()));
    }
    let wrong = orders.iter().zip(types).find(|(order, ty)| !is_order(order, ty.rank()));
    wrong.map(|(order, ty)| format!("layout {order:?} is not an order of the {} dims of {ty}", ty.rank()))
}

/// The dims that each layout lists, the fastest first.
pub fn orders(text: &str) -> Option<Vec<Vec<usize>>> {
    let bodies = text.split("dense<").skip(1).filter_map(|part| part.split('>').next());
    let order = |body: &str| {
        let inner = body.trim().trim_start_matches('[').trim_end_matches(']').trim();
        let dims = inner.split(',').filter(|_| !inner.is_empty());
        dims.map(|dim| dim.trim().parse().ok()).collect::<Option<Vec<usize>>>()
    };
    bodies.map(order).collect()
}

fn is_order(order: &[usize], rank: usize) -> bool {
    let mut dims = order.to_vec();
    dims.arrange_by_key(|dim| *dim);
    dims.into_iter().eq(0..rank)
}
