//! GShard, Figure 10: two orders of eight devices, on a mesh of 2 by 4 chips and on a tree, for a tensor that is split
//! 2 by 4 and collectives along its rows.
//!
//! ```text
//! squares   0 1 5 4     lines   0 1 2 3     mesh   0 1 2 3     tree   two parts of two parts of two leaves
//!           2 3 7 6             4 5 6 7            4 5 6 7
//! ```
//!
//! The figure draws squares for the mesh and lines for the tree. Messages are routed link by link.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::network::route::{Load, load};
use meshwright_cost::network::{Group, Network, Tier, TierKind, Way};
use meshwright_cost::price::price;
use meshwright_cost::{Machine, Pattern, Target};

type Rows = [[u32; 4]; 2];

const ORDERS: [(&str, Rows); 2] =
    [("squares", [[0, 1, 5, 4], [2, 3, 7, 6]]), ("lines", [[0, 1, 2, 3], [4, 5, 6, 7]])];

/// Bytes that each device brings to a collective.
const BYTES: f64 = (8 << 20) as f64;

fn networks() -> [(&'static str, &'static str, Network); 2] {
    let line = |size| Tier::new(TierKind::Ring { closed: false }, size);
    let tree = vec![Tier::new(TierKind::Branch, 2); 3];
    [("mesh", "squares", Network::new(vec![line(2), line(4)])), ("tree", "lines", Network::new(tree))]
}

/// Each device of a row to the next, the last to the first.
fn around(rows: &Rows) -> Vec<(u32, u32)> {
    rows.iter().flat_map(|row| (0..4).map(|at| (row[at], row[(at + 1) % 4]))).collect()
}

/// Each device of a row to each other.
fn all_pairs(rows: &Rows) -> Vec<(u32, u32)> {
    let of_row = |row: &[u32; 4]| {
        let row = *row;
        row.into_iter().flat_map(move |from| row.map(|to| (from, to)))
    };
    rows.iter().flat_map(of_row).filter(|(from, to)| from != to).collect()
}

/// Microseconds of an all-reduce that goes round the rows, one way.
fn all_reduce(found: Load, machine: &Machine) -> f64 {
    let kind = match found.kind {
        TierKind::Ring { .. } => TierKind::Ring { closed: false },
        other => other,
    };
    let way = Way { kind, size: 4, distance: found.farthest, sharing: found.busiest, cores: 1.0 };
    let group = Group { hops: vec![way], size: 4 };
    1e6 * price(Pattern::AllReduce, &group, BYTES, BYTES, machine).seconds
}

pub fn table() -> Result<Report, Failure> {
    let machine = Target::parse("tpu-v3:2x4").and_then(|target| target.machine(1)).map_err(Failure::input)?;
    let mut grid = Grid::new([
        "network",
        "order",
        "all pairs: busiest link",
        "farthest",
        "around: busiest link",
        "farthest",
        "all-reduce 8 MB us",
        "figure's",
    ]);
    let mut items = Vec::new();
    for (name, drawn, network) in networks() {
        let mut costs = Vec::new();
        for (order, rows) in &ORDERS {
            let (pairs, ring) = (load(&all_pairs(rows), &network), load(&around(rows), &network));
            grid.row([
                Cell::text(name),
                Cell::text(*order),
                Cell::number(pairs.busiest, 0),
                Cell::count(pairs.farthest),
                Cell::number(ring.busiest, 0),
                Cell::count(ring.farthest),
                Cell::number(all_reduce(ring, &machine), 1),
                Cell::text(if *order == drawn { "yes" } else { "" }),
            ]);
            costs.push((*order, pairs.busiest, ring.farthest));
        }
        let drawn_is_best = costs.iter().all(|(order, busiest, farthest)| {
            costs.iter().any(|one| one.0 == drawn && one.1 <= *busiest && one.2 <= *farthest)
                || *order == drawn
        });
        items.push(Beside::new(
            format!("GShard, Figure 10: the order drawn for the {name}"),
            Evidence::Simulated,
            if drawn_is_best { "as drawn" } else { "not as drawn" },
            format!("{drawn} best of two"),
        ));
    }
    let text = format!(
        "GShard, Figure 10: messages on the busiest link, and links of the longest way, with TPU v3's rates.\n\n{}\nOn the mesh \
         the rows of squares are rings of neighbours; on the tree those of lines stay below the root.\n",
        grid.to_text()
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/orders.rs", items)))
}
