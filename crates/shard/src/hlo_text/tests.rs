//! Every form reads and prints; what cannot be read is shown where it stands.

use super::*;

#[track_caller]
fn round_trips(text: &str) {
    let sharding = parse_hlo_sharding(text, 0).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
    assert_eq!(sharding.to_string(), text);
    assert_eq!(parse_hlo_sharding(&sharding.to_string(), 0).unwrap(), sharding);
}

#[track_caller]
fn reads_as(text: &str, canonical: &str) {
    let sharding = parse_hlo_sharding(text, 0).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
    assert_eq!(sharding.to_string(), canonical);
}

#[track_caller]
fn refused(text: &str, message: &str, span: (u32, u32)) {
    let wrong = parse_hlo_sharding(text, 100).expect_err(text);
    assert_eq!(wrong.message, message);
    let place = meshwright_base::diagnostic::Place::Span(meshwright_base::Span {
        start: 100 + span.0,
        end: 100 + span.1,
    });
    assert_eq!(wrong.place, Some(place), "{wrong}");
}

#[test]
fn every_form_prints_as_it_was_read() {
    for text in [
        "{replicated}",
        "{manual}",
        "{unknown}",
        "{unreduced}",
        "{maximal device=42}",
        "{maximal device=-1}",
        "{devices=[2,2]0,2,1,3}",
        "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}",
        "{devices=[2,1,2]0,1,2,3 last_tile_dims={manual}}",
        "{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}",
        "{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dims={unreduced, manual}}",
        "{devices=[4,1,2]<=[8] last_tile_dim_replicate}",
        "{devices=[1,2,4]<=[4,2]T(1,0)}",
        "{replicated metadata={op_name=\"a\"}}",
        "{devices=[2]<=[2] shard_as 3}",
        "{manual shard_like 4 metadata={{op_name=\"a}\"}, {op_name=\"b\" source_line=3}}}",
        "{}",
        "{{replicated}, {manual}, {devices=[2]<=[2]}}",
        "{{manual}, {manual}, {manual}, {manual}, {manual}, /*index=5*/{replicated}}",
    ] {
        round_trips(text);
    }
}

#[test]
fn every_named_form_prints_as_it_was_read() {
    for text in [
        "{mesh['a'=8,'b'=8], [{'a'}, {?}]}",
        "{mesh['a'=2,'b'=4,'c'=3,'d'=8], [{'b':(2)2}, {'d':(4)2, 'c', ?}p1]}",
        "{mesh['a'=2,'b'=4,'c'=4,'d'=2], device_ids=([4,16]T(1,0)), [{'a'}]}",
        "{mesh['x'=2,'y'=2], device_ids=(0,1,3,2), [{'x'}]}",
        "{mesh[], replicated}",
        "{mesh['a'=2,'b'=4], replicated}",
        "{mesh['a'=2,'b'=4], unreduced}",
        "{mesh['a'=2,'b'=4], manual}",
        "{mesh['x'=2], [{}], unreduced=max{'x'}}",
        "{mesh['a'=2,'c'=3], [], replicated={'c'}}",
        "{mesh['a.b'=2,'<axis> def'=4,'z/w'=2], [{'a.b'}, {'<axis> def':(2)2, 'z/w'}]}",
        "{mesh['a'=2,'b'=4,'c'=3], [{'a'}], replicated={'c'}, unreduced={'b':(1)2}, manual={'b':(2)2}, metadata={{op_name=\"foo\"}, {op_name=\"bar\"}}}",
        "{mesh['a'=2], replicated, metadata={{op_name=\"foo\"}}}",
        "{maximal_mesh[device_id=0]}",
        "{maximal_mesh[device_id=5]}",
        "{single_device[device_id=5]}",
        "{{mesh['a'=2,'b'=2], [{'a'}, {}]}, {devices=[2,2]<=[4] last_tile_dim_replicate}, {maximal_mesh[device_id=5]}}",
    ] {
        round_trips(text);
    }
}

#[test]
fn blanks_comments_and_older_spellings_are_read() {
    reads_as(" { {replicated} ,\n  /*index=1*/ { manual } } ", "{{replicated}, {manual}}");
    reads_as("{devices=[2, 2] 0, 1 ,2,3}", "{devices=[2,2]0,1,2,3}");
    reads_as("{devices=[2,2]<=[2,2]T(0,1)}", "{devices=[2,2]<=[2,2]}");
    reads_as("{mesh[a=2,b=4], [{a, b:(2)2, ?}]}", "{mesh['a'=2,'b'=4], [{'a', 'b':(2)2, ?}]}");
    reads_as(
        "{mesh['x'=2,'y'=2], device_ids=(0,2,1,3), [{'x'}]}",
        "{mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{'x'}]}",
    );
    reads_as(
        "{mesh['x'=2,'y'=2], unreduced=max{'x', 'y'}}",
        "{mesh['x'=2,'y'=2], [], unreduced=max{'x', 'y'}}",
    );
    reads_as("{mesh['x'=2], unreduced=max}", "{mesh['x'=2], [], unreduced=max{'x'}}");
    reads_as("{replicated metadata={{op_name=\"a\"}}}", "{replicated metadata={op_name=\"a\"}}");
    reads_as("{maximal device=1 shard_as 2}", "{maximal device=1 shard_as 2}");
}

#[test]
fn the_prefix_ends_with_its_brace() {
    let (sharding, length) = parse_hlo_sharding_prefix("{replicated}, metadata={}", 0).unwrap();
    assert_eq!((sharding.kind, length), (HloShardingKind::Replicated, 12));
}

#[test]
fn what_cannot_be_read_is_shown_where_it_stands() {
    refused("{replicate}", "`replicate` is no part of a sharding", (1, 10));
    refused("{replicated} x", "expected the end, found `x`", (13, 14));
    refused("{replicated", "expected a sharding, found the end", (11, 11));
    refused("{maximal}", "a maximal sharding needs its `device=`", (1, 9));
    refused("{devices=[2,2]0,1,2}", "tile counts [2, 2] need 4 devices, 3 are given", (1, 20));
    refused("{devices=[2]<=[2]T(1)}", "T[1] is no permutation of 1 dims", (1, 22));
    refused("{devices=[0]0}", "tile counts [0] make no number of devices", (1, 14));
    refused("{devices=[2]0,-1}", "-1 is no device", (14, 16));
    refused("{manual replicated}", "`replicated` contradicts what came before in this sharding", (8, 18));
    refused("{{{replicated}}}", "expected a sharding, found `{`", (2, 3));
    refused("{mesh['a'=2], [{'b'}]}", "mesh `mesh` has no axis `b`", (16, 19));
    refused("{mesh['a'=2,'a'=2], []}", "two mesh axes are called `a`", (5, 18));
    refused("{devices=[99999999999999999999]0}", "number 99999999999999999999 is too large", (10, 30));
    refused(
        "{mesh['a'=100000000], device_ids=([100000000]), []}",
        "a device order of 100000000 devices is too long to keep",
        (34, 46),
    );
}
