//! Structures of tensors: what closures take and return. Tuples, arrays, lists and options of them, and any struct that
//! derives [`Tree`](derive@crate::Tree).

use crate::tensor::Tensor;

/// A value made of tensors: a tensor, tuples, arrays, lists and options of such values, lists of them under names, and
/// structs that derive it.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| {
///     let pair = (t.input("x", f32, [2]), [t.input("y", f32, [3])]);
///     assert_eq!(pair.leaves().len(), 2);
///     [("pair", pair.map(&mut |x| x * 2)), ("old", pair)]
/// })?;
/// assert_eq!(program.results()[1].name.as_ref(), "pair.1.0");
/// # Ok::<(), Errors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of tensors",
    label = "no `Tree`",
    note = "tuples, arrays, `Vec` and `Option` of tensors are; `#[derive(Tree)]` makes a struct one",
    note = "a field that is no tensor, a setting for instance, is left out by `#[tree(skip)]`"
)]
pub trait Tree: Sized {
    /// Call `visit` on every tensor, in order, with the name of its place (`"0"`, `"weights"`, `"layers.3.w"`).
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor));

    /// The same structure with other tensors, taken one by one in the order of [`visit`](Tree::visit).
    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self;

    /// All tensors, in order.
    fn leaves(&self) -> Vec<Tensor> {
        let mut out = Vec::new();
        self.visit("", &mut |_, tensor| out.push(tensor));
        out
    }

    /// Names of all places, in order.
    fn paths(&self) -> Vec<String> {
        let mut out = Vec::new();
        self.visit("", &mut |path, _| out.push(path.to_string()));
        out
    }

    /// The same structure, each tensor made of this one and the one at its place in `other`, which is of the same
    /// structure.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("descend", |t| {
    ///     let w = t.states("w", (zeros(f32, [4, 2]), zeros(f32, [2])));
    ///     let slopes = grad(w, |(a, b)| a.square().sum(..) + b.sum(..));
    ///     [("w", w.zip_map(&slopes, |w, slope| w - 0.1 * slope))]
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    fn zip_map(&self, other: &Self, mut make: impl FnMut(Tensor, Tensor) -> Tensor) -> Self {
        let mut others = other.leaves().into_iter();
        self.map(&mut |one| others.next().map_or(one, |other| make(one, other)))
    }

    /// The same structure with these tensors; what is missing stays.
    fn with_leaves(&self, leaves: &[Tensor]) -> Self {
        let mut at = 0;
        self.map(&mut |old| {
            at += 1;
            leaves.get(at - 1).copied().unwrap_or(old)
        })
    }
}

/// The name of a place inside another.
#[doc(hidden)]
pub fn inside(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_string() } else { format!("{path}.{field}") }
}

impl Tree for Tensor {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        visit(path, *self);
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        next(*self)
    }
}

impl Tree for () {
    fn visit(&self, _: &str, _: &mut dyn FnMut(&str, Tensor)) {}

    fn map(&self, _: &mut dyn FnMut(Tensor) -> Tensor) -> Self {}
}

impl<T: Tree> Tree for Vec<T> {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        self.iter().enumerate().for_each(|(at, item)| item.visit(&inside(path, &at.to_string()), visit));
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.iter().map(|item| item.map(next)).collect()
    }
}

impl<T: Tree, const N: usize> Tree for [T; N] {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        self.iter().enumerate().for_each(|(at, item)| item.visit(&inside(path, &at.to_string()), visit));
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        std::array::from_fn(|at| self[at].map(next))
    }
}

impl<T: Tree> Tree for Option<T> {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        if let Some(item) = self {
            item.visit(path, visit);
        }
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.as_ref().map(|item| item.map(next))
    }
}

impl<T: Tree> Tree for Box<T> {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        T::visit(self, path, visit);
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        Box::new(T::map(self, next))
    }
}

/// Under names: results are called so.
impl<T: Tree, const N: usize> Tree for [(&'static str, T); N] {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        self.iter().for_each(|(name, item)| item.visit(&inside(path, name), visit));
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.each_ref().map(|(name, item)| (*name, item.map(next)))
    }
}

macro_rules! named_lists {
    ($($name:ty),*) => {
        $(
            /// Under names: results are called so.
            impl<T: Tree> Tree for Vec<($name, T)> {
                fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
                    self.iter().for_each(|(name, item)| item.visit(&inside(path, name), visit));
                }

                fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
                    self.iter().map(|(name, item)| (name.clone(), item.map(next))).collect()
                }
            }
        )*
    };
}
named_lists!(&'static str, String);

impl<K: Ord + Clone + std::fmt::Display, T: Tree> Tree for std::collections::BTreeMap<K, T> {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        self.iter().for_each(|(key, item)| item.visit(&inside(path, &key.to_string()), visit));
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        self.iter().map(|(key, item)| (key.clone(), item.map(next))).collect()
    }
}

macro_rules! tuple_tree {
    ($($name:ident $at:tt)*) => {
        impl<$($name: Tree),*> Tree for ($($name,)*) {
            fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
                $(self.$at.visit(&inside(path, stringify!($at)), visit);)*
            }

            fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
                ($(self.$at.map(next),)*)
            }
        }
    };
}
tuple_tree!(A 0);
tuple_tree!(A 0 B 1);
tuple_tree!(A 0 B 1 C 2);
tuple_tree!(A 0 B 1 C 2 D 3);
tuple_tree!(A 0 B 1 C 2 D 3 E 4);
tuple_tree!(A 0 B 1 C 2 D 3 E 4 F 5);
tuple_tree!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuple_tree!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
