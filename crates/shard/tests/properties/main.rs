//! What must hold of any sharding, on random cases from fixed seeds, judged device by device.

mod brute;
mod random;

use meshwright_shard::sdy_text::{self, MeshScope};
use meshwright_shard::{
    DeviceId, HloSharding, HloShardingKind, Mesh, MeshId, Meshes, Sharding, Subgroup, TileDevices,
    common_mesh, common_mesh_of, export, groups, import, import_all, merge, merge_across, parse_hlo_sharding,
    rebase, same_placement,
};
use random::Random;

const CASES: u64 = 400;

fn cases() -> impl Iterator<Item = (u64, Random)> {
    (1..=CASES).map(|seed| (seed, Random::new(seed)))
}

/// A sharding whose meaning HLO can carry: it has no reducer but the sum.
fn for_hlo(random: &mut Random, mesh: &Mesh, rank: usize) -> Sharding {
    Sharding { reducer: Default::default(), ..random::sharding(random, mesh, rank) }
}

#[test]
fn random_shardings_verify() {
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let sharding = random::sharding(&mut random, &mesh, 2);
        assert_eq!(sharding.verify(&mesh, &[4, 4]), [], "seed {seed}: {mesh:?}");
    }
}

#[test]
fn export_and_import_keep_every_device_its_slice() {
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let wanted: Vec<Sharding> = (0..3).map(|rank| for_hlo(&mut random, &mesh, rank)).collect();
        let texts: Vec<String> = wanted.iter().map(|sharding| export(sharding, &mesh).to_string()).collect();
        let read: Vec<_> = texts.iter().map(|text| parse_hlo_sharding(text, 0).expect(text)).collect();
        let ranked: Vec<_> = read.iter().zip(0..3).collect();
        let mut meshes = Meshes::new();
        let imported = import_all(&ranked, count, &mut meshes).expect("what was exported can be imported");
        for (wanted, imported) in wanted.iter().zip(&imported) {
            let there = &meshes[imported.mesh];
            assert!(brute::same(wanted, &mesh, imported, there), "seed {seed}: {texts:?}");
            assert!(same_placement(wanted, &mesh, imported, there), "seed {seed}: {texts:?}");
            assert_eq!(imported.verify_axes(there), [], "seed {seed}");
        }
    }
}

/// As XLA may write it: every device listed, those that replicate each other in ascending order.
fn listed(sharding: &HloSharding) -> HloSharding {
    let HloShardingKind::Tiled { tiles, devices, subgroups, last_tile_dim_replicate } = &sharding.kind else {
        return sharding.clone();
    };
    let mut list = match devices {
        TileDevices::List(list) => list.clone(),
        TileDevices::Iota { reshape, transpose } => expand(reshape, transpose),
    };
    if subgroups.last() == Some(&Subgroup::Replicated) {
        list.chunks_mut(*tiles.last().unwrap() as usize).for_each(<[u32]>::sort_unstable);
    }
    HloSharding::new(HloShardingKind::Tiled {
        tiles: tiles.clone(),
        devices: TileDevices::List(list),
        subgroups: subgroups.clone(),
        last_tile_dim_replicate: *last_tile_dim_replicate,
    })
}

fn expand(reshape: &[i64], transpose: &[usize]) -> Vec<u32> {
    let mut list = vec![0];
    for dim in transpose {
        let stride: i64 = reshape[dim + 1..].iter().product();
        list = list
            .iter()
            .flat_map(|base| (0..reshape[*dim]).map(move |at| base + (at * stride) as u32))
            .collect();
    }
    list
}

#[test]
fn listed_devices_mean_the_same_as_iota_and_share_the_mesh() {
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let wanted: Vec<Sharding> = (1..4).map(|rank| for_hlo(&mut random, &mesh, rank)).collect();
        let short: Vec<_> = wanted.iter().map(|sharding| export(sharding, &mesh)).collect();
        let long: Vec<_> = short.iter().map(listed).collect();
        let ranked: Vec<_> = short.iter().chain(&long).zip([1, 2, 3, 1, 2, 3]).collect();
        let mut meshes = Meshes::new();
        let imported = import_all(&ranked, count, &mut meshes).expect("what was exported can be imported");
        for (at, imported) in imported.iter().enumerate() {
            let there = &meshes[imported.mesh];
            assert!(brute::same(&wanted[at % 3], &mesh, imported, there), "seed {seed}: {}", ranked[at].0);
        }
        let same_meshes =
            imported[..3].iter().zip(&imported[3..]).all(|(short, long)| short.mesh == long.mesh);
        assert!(mesh.order.is_some() || same_meshes, "seed {seed}: {:?}", meshes);
    }
}

#[test]
fn merge_is_commutative_and_finds_every_compatible_pair() {
    let mut merged_pairs = 0;
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let a = random::tiling(&mut random, &mesh, 2);
        let mut b = if random.one_in(2) { random::tiling(&mut random, &mesh, 2) } else { a.clone() };
        for dim in &mut b.dims {
            let kept = random.below(dim.axes.len() + 1);
            dim.axes.truncate(kept);
        }
        let merged = merge(&a, &b);
        assert_eq!(merged, merge(&b, &a), "seed {seed}");
        assert_eq!(merged.is_some(), brute::compatible(&a, &b, &mesh), "seed {seed}: {mesh:?} {a:?} {b:?}");
        let Some(merged) = merged else { continue };
        merged_pairs += 1;
        assert!(merged.is_refinement_of(&a) && merged.is_refinement_of(&b), "seed {seed}");
        assert_eq!(merged.verify_axes(&mesh), [], "seed {seed}");
        for (fine, coarse) in brute::tiles(&merged, &mesh).iter().zip(brute::tiles(&a, &mesh)) {
            for dim in 0..2 {
                assert_eq!(
                    fine[dim] / (merged.dims[dim].tiles() / a.dims[dim].tiles()),
                    coarse[dim],
                    "seed {seed}"
                );
            }
        }
    }
    assert!(merged_pairs > CASES / 4, "only {merged_pairs} pairs were compatible");
}

/// Two meshes over the same devices: cut differently, or listed differently.
fn two_meshes(random: &mut Random) -> (Mesh, Mesh) {
    let count = random::device_count(random);
    (random::mesh(random, count), random::mesh(random, count))
}

/// Where the axes that are used have common sub-axes, everything is found that the paper's definition allows; nowhere
/// anything it does not allow. (Axes may tile together without common sub-axes: 12 devices by `n % 3` and by `n % 4`.)
#[test]
fn merge_across_meshes_agrees_with_every_device() {
    let (mut merged_pairs, mut refused) = (0, 0);
    for (seed, mut random) in cases() {
        let (mesh_a, mesh_b) = two_meshes(&mut random);
        let a = random::tiling(&mut random, &mesh_a, 2);
        let b = match rebase(&a, &mesh_a, &mesh_b) {
            Some(there) if random.one_in(2) => there,
            _ => random::tiling(&mut random, &mesh_b, 2),
        };
        let shorten = |random: &mut Random, mut sharding: Sharding| {
            for dim in &mut sharding.dims {
                let kept = random.below(dim.axes.len() + 1);
                dim.axes.truncate(kept);
            }
            sharding
        };
        let (a, b) = (shorten(&mut random, a), shorten(&mut random, b));
        let (one, other) = (merge_across(&a, &mesh_a, &b, &mesh_b), merge_across(&b, &mesh_b, &a, &mesh_a));
        let allowed = brute::compatible_across(&a, &mesh_a, &b, &mesh_b);
        let what = format!("seed {seed}: {mesh_a:?} {a:?} {mesh_b:?} {b:?}");
        assert_eq!(one.is_some(), other.is_some(), "{what}");
        let uses = [(&mesh_a, a.all_axes().collect()), (&mesh_b, b.all_axes().collect())];
        if common_mesh_of(&uses).is_some() {
            assert_eq!(one.is_some(), allowed, "{what}");
        }
        refused += u64::from(!allowed);
        let (Some((one, mesh)), Some((other, mesh_too))) = (one, other) else { continue };
        merged_pairs += 1;
        assert!(allowed, "{what}");
        assert!(brute::same(&one, &mesh, &other, &mesh_too), "{what}");
        assert_eq!(one.verify_axes(&mesh), [], "{what}");
        for (part, home) in [(&a, &mesh_a), (&b, &mesh_b)] {
            for (fine, coarse) in brute::tiles(&one, &mesh).iter().zip(brute::tiles(part, home)) {
                for dim in 0..2 {
                    let ratio = one.dims[dim].tiles() / part.dims[dim].tiles();
                    assert_eq!(fine[dim] / ratio, coarse[dim], "{what}");
                }
            }
        }
    }
    assert!(merged_pairs > CASES / 6 && refused > CASES / 10, "{merged_pairs} merged, {refused} refused");
}

/// A sharding that refines one that refines a third refines that too; merging only ever refines.
#[test]
fn refinement_is_an_order_and_merging_never_coarsens() {
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let fine = random::tiling(&mut random, &mesh, 2);
        let coarser = |random: &mut Random, sharding: &Sharding| {
            let mut sharding = sharding.clone();
            for dim in &mut sharding.dims {
                let kept = random.below(dim.axes.len() + 1);
                dim.axes.truncate(kept);
            }
            sharding
        };
        let middle = coarser(&mut random, &fine);
        let coarse = coarser(&mut random, &middle);
        assert!(fine.is_refinement_of(&middle) && middle.is_refinement_of(&coarse), "seed {seed}");
        assert!(fine.is_refinement_of(&coarse), "seed {seed}");
        assert_eq!(merge(&fine, &coarse), Some(fine.canonical()), "seed {seed}");
        assert_eq!(coarse.is_refinement_of(&fine), coarse.canonical() == fine.canonical(), "seed {seed}");
    }
}

#[test]
fn a_rebased_sharding_keeps_every_device_its_slice() {
    let mut rebased = 0;
    for (seed, mut random) in cases() {
        let (from, to) = two_meshes(&mut random);
        let sharding = random::sharding(&mut random, &from, 2);
        let Some(there) = rebase(&sharding, &from, &to) else { continue };
        rebased += 1;
        assert!(brute::same(&sharding, &from, &there, &to), "seed {seed}: {sharding:?} {from:?} {to:?}");
        assert!(same_placement(&sharding, &from, &there, &to), "seed {seed}");
        assert_eq!(there.verify_axes(&to), [], "seed {seed}");
        let back = rebase(&there, &to, &from).expect("the way back exists");
        assert_eq!(back, Sharding { reducer: back.reducer, ..sharding.canonical() }, "seed {seed}");
    }
    assert!(rebased > CASES / 8, "only {rebased} could be rebased");
}

#[test]
fn same_placement_agrees_with_every_device() {
    let mut equal = 0;
    for (seed, mut random) in cases() {
        let (mesh_a, mesh_b) = two_meshes(&mut random);
        let a = random::tiling(&mut random, &mesh_a, 1);
        let b = random::tiling(&mut random, &mesh_b, 1);
        let same = same_placement(&a, &mesh_a, &b, &mesh_b);
        assert_eq!(
            same,
            brute::same(&a, &mesh_a, &b, &mesh_b),
            "seed {seed}: {mesh_a:?} {a:?} {mesh_b:?} {b:?}"
        );
        equal += u64::from(same);
    }
    assert!(equal > CASES / 20, "only {equal} were equal");
}

#[test]
fn every_sharding_lives_on_the_common_mesh_with_whole_axes() {
    for (seed, mut random) in cases() {
        let (a, b) = two_meshes(&mut random);
        let Some(common) = common_mesh(&[&a, &b]) else { continue };
        for mesh in [&a, &b] {
            for axis in mesh.whole_axes() {
                let sharding = Sharding::tiled(meshwright_base::Id::from_index(0), [vec![axis]]);
                let there = rebase(&sharding, mesh, &common).expect("the common mesh has every axis");
                let whole = there.dims[0].axes.iter().all(|axis| *axis == common.whole(axis.axis));
                assert!(whole, "seed {seed}: {mesh:?} {common:?}");
            }
        }
    }
}

#[test]
fn a_reshaped_sharding_keeps_every_element_on_its_device() {
    let mut reshaped = 0;
    for (seed, mut random) in cases() {
        let count = *random.pick(&[2, 4, 6, 8]);
        let mesh = random::mesh(&mut random, count);
        let elements = *random.pick(&[24, 48, 64, 72]);
        let (from, to) = (random::factors(&mut random, elements), random::factors(&mut random, elements));
        let sharding = random::tiling(&mut random, &mesh, from.len());
        let even = sharding.tiles().iter().zip(&from).all(|(tiles, size)| size % tiles == 0);
        let Some(there) = sharding.reshape(&from, &to) else { continue };
        if !even {
            continue;
        }
        reshaped += 1;
        let held = |sharding: &Sharding, shape: &[i64]| brute::elements(sharding, &mesh, shape);
        assert_eq!(
            held(&sharding, &from),
            held(&there, &to),
            "seed {seed}: {from:?} {to:?} {sharding:?} {there:?}"
        );
    }
    assert!(reshaped > CASES / 10, "only {reshaped} could be reshaped");
}

#[test]
fn groups_hold_the_devices_that_differ_only_along_their_axes() {
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let axes = random::tiling(&mut random, &mesh, 1).dims[0].axes.clone();
        let groups = groups(&mesh, &axes);
        let peers = brute::peers(&mesh, &axes);
        let mut seen = 0;
        for (number, members) in groups.iter().enumerate() {
            for (place, device) in members.iter().enumerate() {
                assert_eq!(groups.group_of(*device), Some(number as i64), "seed {seed}");
                assert_eq!(groups.place_of(*device), Some(place as i64), "seed {seed}");
                assert_eq!(brute::number(&mesh, &axes, device.number()), place as i64, "seed {seed}");
            }
            let mut sorted: Vec<u32> = members.iter().map(|device| device.number()).collect();
            sorted.sort_unstable();
            assert_eq!(sorted, peers[members[0].number() as usize], "seed {seed}");
            seen += members.len() as i64;
        }
        assert_eq!(seen, count, "seed {seed}");
        let listed = match groups.assignment().devices {
            TileDevices::List(list) => list,
            TileDevices::Iota { reshape, transpose } => expand(&reshape, &transpose),
        };
        assert_eq!(listed, groups.iter().flatten().map(DeviceId::number).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn printed_shardings_read_back() {
    for (seed, mut random) in cases() {
        let count = random::device_count(&mut random);
        let mesh = random::mesh(&mut random, count);
        let mut meshes = Meshes::new();
        let id = meshes.push(mesh.clone());
        let sharding = random::sharding(&mut random, &mesh, 3);
        assert_eq!(
            sdy_text::parse_mesh(&sdy_text::print_mesh(&mesh), 0, "mesh").as_ref(),
            Ok(&mesh),
            "seed {seed}"
        );

        let shardy = Sharding { manual: Vec::new(), ..sharding.clone() };
        let text = sdy_text::print_sharding(&shardy, &meshes);
        assert_eq!(read_shardy(&text, &mut meshes, id), Ok(shardy), "seed {seed}: {text}");

        let named = HloSharding::new(HloShardingKind::Named(Box::new((mesh.clone(), sharding.clone()))));
        assert_eq!(parse_hlo_sharding(&named.to_string(), 0).as_ref(), Ok(&named), "seed {seed}: {named}");
        let tuple = HloSharding::new(HloShardingKind::Tuple(vec![named; 7]));
        assert_eq!(parse_hlo_sharding(&tuple.to_string(), 0).as_ref(), Ok(&tuple), "seed {seed}: {tuple}");
        let exported = export(&sharding, &mesh);
        assert_eq!(
            parse_hlo_sharding(&exported.to_string(), 0).as_ref(),
            Ok(&exported),
            "seed {seed}: {exported}"
        );
    }
}

fn read_shardy(text: &str, meshes: &mut Meshes, id: MeshId) -> Result<Sharding, meshwright_base::Diagnostic> {
    sdy_text::parse_sharding(text, 0, &mut MeshScope { meshes, by_name: &|_| Some(id) })
}

/// Texts that are nearly right, and some that are not text at all.
fn garbage(random: &mut Random) -> String {
    const SEEDS: [&str; 8] = [
        "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated} shard_as 1 metadata={op_name=\"a\"}}",
        "{devices=[2,2]0,2,1,3 last_tile_dim_replicate}",
        "{{maximal device=3}, /*index=1*/{manual}, {unknown}}",
        "{mesh['a'=4,'b'=2], device_ids=([4,2]T(1,0)), [{'a':(2)2, ?}p1], replicated={'b'}, unreduced=max{'a':(1)2}}",
        "{maximal_mesh[device_id=5]}",
        "<@mesh, [{\"x\":(1)2}, {\"y\", ?}p1], replicated={\"z\"}, unreduced=max{\"w\"}>",
        "<mesh<[\"a\"=2, \"b\"=2], device_ids=[0, 1, 3, 2]>, [{\"a\"}]>",
        "<[<@mesh, [{\\22x\\22}]>, <@\"m\\41\", []>]>",
    ];
    const SPLINTERS: [&str; 16] = [
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "\"",
        "'",
        "\\",
        ",",
        "-1",
        "0",
        "9223372036854775807",
        "é",
        "/*",
        "=\u{0}",
    ];
    let mut text: Vec<char> = random.pick(&SEEDS).chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len().max(1));
        match random.below(3) {
            0 => text.truncate(at),
            1 if at < text.len() => drop(text.remove(at)),
            _ => {
                let splinter: Vec<char> = random.pick(&SPLINTERS).chars().collect();
                text.splice(at.min(text.len())..at.min(text.len()), splinter);
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn no_text_makes_a_reader_panic_and_what_is_read_can_be_used() {
    for seed in 1..=20 * CASES {
        let mut random = Random::new(seed);
        let text = garbage(&mut random);
        let mut meshes = Meshes::new();
        let id = meshes.push(Mesh::new("mesh", [("x", 4), ("y", 2), ("z", 2), ("w", 2)], None).unwrap());
        let _ = sdy_text::parse_mesh(&text, 0, "m").map(|mesh| sdy_text::print_mesh(&mesh));
        if let Ok(sharding) = read_shardy(&text, &mut meshes, id) {
            let _ = sharding.verify(&meshes[sharding.mesh], &[8, 8]);
        }
        let Ok(sharding) = parse_hlo_sharding(&text, u32::MAX - 5) else { continue };
        assert_eq!(
            parse_hlo_sharding(&sharding.to_string(), 0).as_ref(),
            Ok(&sharding),
            "seed {seed}: {text}"
        );
        let count = sharding.device_count().unwrap_or(8).min(64);
        for rank in 0..4 {
            let imported = import_all(&[(&sharding, rank)], count, &mut meshes);
            assert_eq!(
                imported.is_ok(),
                import::check(&sharding, rank, count).is_ok(),
                "seed {seed}: {text}"
            );
            for imported in imported.into_iter().flatten() {
                assert_eq!(imported.verify_axes(&meshes[imported.mesh]), [], "seed {seed}: {text}");
                let _ = export(&imported, &meshes[imported.mesh]).to_string();
            }
        }
    }
}
