//! What convolutions and pools ask of a window before it is moved: that it has somewhere to go.

use meshwright_tensor::prelude::*;

/// Elements from the first to the last of a window's.
pub(super) fn span(size: i64, dilation: i64) -> i64 {
    (size - 1).max(0).saturating_mul(dilation).saturating_add(1)
}

/// Whether a window has one entry per spatial dim, each at least 1; else a message and the way out.
pub(super) fn per_dim(name: &str, spatial: usize, window: &Window) -> Result<(), (String, String)> {
    let edges = match &window.padding {
        Padding::Edges(edges) => edges.len(),
        _ => spatial,
    };
    let lists = [
        ("strides", &window.strides),
        ("dilations", &window.dilation),
        ("base dilations", &window.base_dilation),
    ];
    for (what, list) in lists {
        if list.len() != spatial || list.iter().any(|step| *step < 1) {
            let message = format!("`{name}` over {spatial} spatial dims has the {what} {list:?}");
            return Err((message, format!("give {spatial} numbers from 1 up")));
        }
    }
    if edges != spatial {
        let message = format!("`{name}` over {spatial} spatial dims has {edges} pairs of edges");
        return Err((message, format!("give {spatial} pairs: elements before and after")));
    }
    Ok(())
}

/// How far a window of these sizes reaches as it moves.
pub(super) struct Reach<'a> {
    window: &'a Window,
    sizes: &'a [i64],
}

impl<'a> Reach<'a> {
    pub(super) fn of(window: &'a Window, sizes: &'a [i64]) -> Reach<'a> {
        Reach { window, sizes }
    }

    /// A spatial dim that the window finds no place in.
    pub(super) fn misfit(&self, name: &str, x: Tensor) -> Option<(String, String)> {
        let dims = x.dims();
        self.sizes.iter().enumerate().find_map(|(at, size)| {
            let image = dims[at + 1];
            let (step, apart) = (self.window.dilation[at], self.window.base_dilation[at]);
            let reach = span(*size, step);
            let whole = if image == 0 { 0 } else { span(image, apart) };
            let (low, high) = match &self.window.padding {
                Padding::Edges(edges) => edges[at],
                Padding::Valid => (0, 0),
                // These pad as much as it takes, of an image that has anything.
                Padding::Same | Padding::Causal if image > 0 => return bad_size(name, at, *size),
                Padding::Same | Padding::Causal => (0, 0),
            };
            let padded = whole.saturating_add(low).saturating_add(high);
            if *size >= 1 && padded >= reach {
                return None;
            }
            let apart = if step > 1 { format!(" {step} apart reach over {reach} and") } else { String::new() };
            let message = format!(
                "`{name}` finds no place: a window of {size} elements{apart} lies over dim {} of {x:?}, which has {padded} with its padding of {low} and {high}",
                at + 1
            );
            let help = "use a larger image, a smaller window or dilation, or more padding (`Padding::Same`)";
            Some((message, help.to_string()))
        })
    }
}

fn bad_size(name: &str, at: usize, size: i64) -> Option<(String, String)> {
    (size < 1).then(|| {
        let message = format!("`{name}` has a window of {size} elements along spatial dim {at}");
        (message, "give windows at least 1 element".to_string())
    })
}
