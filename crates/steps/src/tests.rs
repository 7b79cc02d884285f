//! The text, the relation of regions, and what the verifier and the checker refuse.

use crate::{
    Access, BufId, Effects, Item, Makers, Mode, Point, Relation, StepId, Uses, check, lives, parse, verify,
};
use meshwright_base::Id;

fn checked(text: &str) -> Vec<String> {
    let (steps, places) = parse(text).unwrap();
    check(&steps, &steps.line(), &places).iter().map(ToString::to_string).collect()
}

fn verified(text: &str) -> Vec<String> {
    let (steps, places) = parse(text).unwrap();
    verify(&steps, &places.donated)
}

/// Refused for this reason, and for nothing else.
fn refused(found: &[String], why: &str) {
    assert!(found.len() == 1 && found[0].contains(why), "{why}: {found:?}");
}

const ALL: &str = "\
%0 = input 0, 64 bytes  // x
%1 = arena, 64 bytes, at 0, alive 0 to 13  // a
%2 = arena, 4 bytes, at 64, alive 6 to 15  // n
%3 = result 0, 64 bytes  // r
%4 = part of %0, 16 bytes  // p
%5 = arena, 64 bytes, in %3  // b
{
  fused %0 -> %1  // fused
  loop c0 < 3 {  // 
    part %0[?] -> %4  // part
    copy %4 -> %1[0 + 4 x 16 : 4]  // copy
  }
  while {  // 
    fill -> %2  // fill
  } %2 {
    collective! %0 -> %1  // collective
  }
  if %2 {  // 
    fused %1 -> %5  // fused
  } else {
    copy %1 -> %5  // copy
  }
  switch %2 {  // 
  } {
    fused %5 -> %5  // fused
  } {
  }
  rename %5 -> %3  // rename
}
";

#[test]
fn a_text_is_read_and_written_as_it_was() {
    let (steps, places) = parse(ALL).unwrap();
    let text = steps.text(Some(&places));
    let named = |text: &str| {
        text.lines().map(|line| line.split("//").next().unwrap().trim_end().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(named(&text), named(ALL));
    assert_eq!(verify(&steps, &[]), Vec::<String>::new());
    assert_eq!(alive(ALL), Vec::<String>::new());
}

/// The places that the text says its lines have, each as far as it names one.
fn numbered(text: &str) -> Vec<usize> {
    let body = text.lines().filter(|line| !line.contains(" = "));
    let behind = body.filter_map(|line| Some(line.split_once("// ")?.1.split(':').next()?.trim()));
    behind.filter_map(|place| place.parse().ok()).collect()
}

#[test]
fn lines_are_numbered_by_their_places_where_lives_are_known() {
    let (steps, mut places) = parse(ALL).unwrap();
    let line = steps.line();
    let mut expected: Vec<usize> = (0..line.points.len()).collect();
    // A counter is set and looked at in one line.
    expected.retain(|at| !matches!(line.points[*at], Point::ExitLoop { .. }));
    assert_eq!(numbered(&steps.text(Some(&places))), expected);
    places.lives.values_mut().for_each(|life| *life = None);
    assert_eq!(numbered(&steps.text(Some(&places))), Vec::<usize>::new());
}

/// What is wrong with the lives that a text declares.
fn alive(text: &str) -> Vec<String> {
    let (steps, places) = parse(text).unwrap();
    lives(&steps, &steps.line(), &places).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_no_step_is_refused_with_its_line() {
    for (text, why) in [
        ("%0 = arena", "no body"),
        ("%0 = heap, 4 bytes\n{\n}", "line 1: expected `%N"),
        ("%0 = arena, 4 bytes\n{\nfill -> %9\n}", "line 3: expected a step"),
        ("%0 = arena, 4 bytes\n{\nloop {\n}\n}", "line 3: expected a step"),
        ("{\n", "does not end"),
        ("{\n}\n}", "nothing may follow"),
    ] {
        let found = parse(text).unwrap_err();
        assert!(found.contains(why), "{text}: {found}");
    }
}

fn relation(one: &str, other: &str) -> Relation {
    let bufs = "%0 = arena, 256 bytes\n%1 = arena, 256 bytes\n%2 = part of %0, 16 bytes\n%3 = arena, 256 bytes, in %0\n";
    let (steps, _) = parse(&format!("{bufs}{{\nfused {one} -> {other}\n}}")).unwrap();
    let [one, other] = &steps.work(steps.order()[0]).accesses()[..] else { panic!("two accesses") };
    steps.relation(&one.region, &other.region)
}

#[test]
fn regions_are_compared_through_parts_and_unions() {
    assert_eq!(relation("%0", "%1"), Relation::Disjoint);
    assert_eq!(relation("%0", "%0"), Relation::Same);
    assert_eq!(relation("%0[0 : 256]", "%0"), Relation::Same);
    assert_eq!(relation("%3", "%0"), Relation::Same);
    assert_eq!(relation("%2", "%0"), Relation::MayOverlap);
    assert_eq!(relation("%2", "%3"), Relation::MayOverlap);
    assert_eq!(relation("%2", "%1"), Relation::Disjoint);
    assert_eq!(relation("%0[?]", "%0"), Relation::Within);
}

#[test]
fn regions_are_compared_digit_by_digit() {
    // Rows, columns, and blocks of a matrix of 8 rows of 32 bytes.
    assert_eq!(relation("%0[0 : 64]", "%0[64 : 64]"), Relation::Disjoint);
    assert_eq!(relation("%0[0 + 8 x 32 : 16]", "%0[16 + 8 x 32 : 16]"), Relation::Disjoint);
    assert_eq!(relation("%0[0 + 8 x 32 : 16]", "%0[12 + 8 x 32 : 16]"), Relation::MayOverlap);
    assert_eq!(relation("%0[0 + 4 x 32 : 16]", "%0[128 + 4 x 32 : 16]"), Relation::Disjoint);
    assert_eq!(relation("%0[32 + 2 x 32 : 16]", "%0[0 + 8 x 32 : 16]"), Relation::Within);
    // A row of one is no digit of the other: nothing is claimed.
    assert_eq!(relation("%0[0 + 8 x 32 : 4]", "%0[16 + 4 x 64 : 4]"), Relation::MayOverlap);
    assert_eq!(relation("%0[0 + 64 x 4 : 2]", "%0[2 + 64 x 4 : 2]"), Relation::Disjoint);
    assert_eq!(relation("%0[0 + 0 x 4 : 4]", "%0"), Relation::Within);
}

#[test]
fn strided_regions_that_are_disjoint_have_no_byte_in_common() {
    // All pairs of small regions, against the bytes themselves.
    let mut regions = Vec::new();
    for offset in [0, 4, 8, 12, 16] {
        for (n, stride) in [(1, 4), (2, 8), (3, 8), (2, 16), (3, 12), (4, 4), (2, -8)] {
            for (m, inner) in [(1, 1), (2, 4), (2, 32), (3, 24)] {
                regions.push((offset + 16, n, stride, m, inner));
            }
        }
    }
    let bytes = |(offset, n, stride, m, inner): (isize, isize, isize, isize, isize)| {
        let mut all: Vec<isize> = Vec::new();
        (0..n).for_each(|i| {
            (0..m).for_each(|j| all.extend((0..4).map(|b| offset + i * stride + j * inner + b)))
        });
        all.sort_unstable();
        all.dedup();
        all
    };
    let text = |(offset, n, stride, m, inner)| format!("%0[{offset} + {n} x {stride} + {m} x {inner} : 4]");
    let mut known = 0;
    for one in &regions {
        for other in &regions {
            let (a, b) = (bytes(*one), bytes(*other));
            let meet = a.iter().any(|byte| b.contains(byte));
            match relation(&text(*one), &text(*other)) {
                Relation::Disjoint => assert!(!meet, "{one:?} {other:?}"),
                Relation::Same => assert_eq!(a, b),
                Relation::Within => assert!(a.iter().all(|byte| b.contains(byte)), "{one:?} {other:?}"),
                Relation::MayOverlap => continue,
            }
            known += 1;
        }
    }
    assert!(known * 6 > regions.len() * regions.len(), "{known} of {}", regions.len() * regions.len());
}

#[test]
fn uses_count_accesses_and_readers_count_steps() {
    let (steps, _) =
        parse("%0 = arena, 4 bytes\n%1 = arena, 4 bytes\n{\nfill -> %0\nfused %0, %0 -> %1\nif %0 {\n}\n}")
            .unwrap();
    let (uses, buf) = (Uses::of(&steps), BufId::from_index(0));
    assert_eq!((uses.reads[buf].len(), uses.readers(buf), uses.writes[buf].len()), (2, 2, 1));
    assert!(uses.is_read(buf) && !uses.is_read(BufId::from_index(1)));
}

#[test]
fn a_step_stays_behind_what_writes_what_it_sees_a_part_of() {
    let text = "%0 = arena, 64 bytes\n%1 = part of %0, 16 bytes\n%2 = arena, 16 bytes\n%3 = arena, 16 bytes\n{\n\
                fill -> %0\npart %0[?] -> %1\nfused %1 -> %2\nfill -> %0\nfill -> %3\n}";
    let (steps, _) = parse(text).unwrap();
    let order = steps.order();
    assert!(steps.in_order(order[2], order[3]), "reads a part, and writes what it is a part of");
    assert!(!steps.in_order(order[2], order[4]));
    assert!(steps.touches_any_of(order[2], BufId::from_index(0)));
}

#[test]
fn a_read_before_a_write_is_refused_on_any_path() {
    refused(
        &checked("%0 = arena, 4 bytes, at 0\n%1 = result 0, 4 bytes\n{\ncopy %0 -> %1\nfill -> %0\n}"),
        "not written",
    );
    let branch = |other: &str| {
        format!(
            "%0 = input 0, 4 bytes\n%1 = result 0, 4 bytes\n{{\nif %0 {{\nfill -> %1\n}} else {{\n{other}\n}}\n}}"
        )
    };
    refused(&checked(&branch("")), "not whole at the end");
    assert_eq!(checked(&branch("fill -> %1")), Vec::<String>::new());
    let turns = "%0 = arena, 4 bytes, at 0\n%1 = result 0, 4 bytes\n{\nloop c0 < 2 {\nfill -> %0\n}\ncopy %0 -> %1\n}";
    refused(&checked(turns), "not written");
}

#[test]
fn a_value_that_is_written_over_in_one_turn_is_gone_in_the_next() {
    let text = |at: usize| {
        format!(
            "%0 = arena, 4 bytes, at 0\n%1 = arena, 4 bytes, at {at}\n%2 = result 0, 4 bytes\n{{\n\
             fill -> %0\nfill -> %2\nloop c0 < 2 {{\ncopy %0 -> %2\nfill -> %1\ncopy %1 -> %2\n}}\n}}"
        )
    };
    refused(&checked(&text(0)), "written over");
    assert_eq!(checked(&text(4)), Vec::<String>::new());
}

#[test]
fn a_part_is_gone_with_what_it_is_a_part_of() {
    let text = |last: &str| {
        format!(
            "%0 = arena, 64 bytes, at 0\n%1 = part of %0, 16 bytes\n%2 = result 0, 16 bytes\n{{\n\
             fill -> %0\npart %0[?] -> %1\n{last}\n}}"
        )
    };
    assert_eq!(checked(&text("copy %1 -> %2\nfill -> %0")), Vec::<String>::new());
    refused(&checked(&text("fill -> %0\ncopy %1 -> %2")), "was written over");
    refused(&checked(&text("fill -> %2\nfill -> %1")), "a part of another buffer");
}

#[test]
fn regions_outside_and_writes_to_what_is_not_ours_are_refused() {
    let text = |step: &str| {
        format!(
            "%0 = input 0, 16 bytes\n%1 = constant 0, 16 bytes\n%2 = arena, 16 bytes, at 0\n%3 = input 1 given, 16 bytes\n\
             {{\n{step}\n}}"
        )
    };
    refused(&checked(&text("fill -> %2[0 + 5 x 4 : 4]")), "touches bytes 0..20");
    refused(&checked(&text("fill -> %2[-4 : 4]")), "touches bytes -4..0");
    refused(&checked(&text("fill -> %0")), "not given away");
    refused(&checked(&text("fill -> %1")), "a constant");
    assert_eq!(checked(&text("fill -> %3")), Vec::<String>::new());
}

#[test]
fn steps_write_over_what_they_read_only_where_they_say_so() {
    let text = |over: &str| {
        format!(
            "%0 = arena, 16 bytes\n%1 = arena, 16 bytes, in %0\n%2 = result 0, 16 bytes\n\
             {{\nfill -> %0\nfused %0 -> %1{over}\ncopy %1 -> %2\n}}"
        )
    };
    assert_eq!(verified(&text(" over %0")), Vec::<String>::new());
    refused(&verified(&text("")), "reads in another order");
}

#[test]
fn a_step_writes_two_values_to_the_same_bytes_only_where_it_makes_one_of_the_other() {
    let text = |over: &str| {
        format!(
            "%0 = arena, 16 bytes\n%1 = arena, 16 bytes, in %0\n%2 = result 0, 16 bytes\n\
             {{\nfused -> %0, %1{over}\ncopy %1 -> %2\n}}"
        )
    };
    assert_eq!(verified(&text(" over %0")), Vec::<String>::new());
    refused(&verified(&text("")), "which share bytes");
}

#[test]
fn a_rename_keeps_the_value_where_it_is() {
    let text = |place: &str| {
        format!(
            "%0 = arena, 16 bytes\n%1 = arena, 16 bytes{place}\n%2 = result 0, 16 bytes\n\
             {{\nfill -> %0\nrename %0 -> %1\ncopy %1 -> %2\n}}"
        )
    };
    assert_eq!(verified(&text(", in %0")), Vec::<String>::new());
    refused(&verified(&text("")), "lies elsewhere");
}

#[test]
fn pieces_of_one_value_do_not_overlap() {
    let text = |one: &str, other: &str| {
        format!("%0 = result 0, 32 bytes\n{{\nfused -> %0{one}\nfused -> %0{other}\n}}")
    };
    assert_eq!(verified(&text("[0 : 16]", "[16 : 16]")), Vec::<String>::new());
    assert_eq!(verified(&text("", "[16 : 16]")), Vec::<String>::new());
    assert_eq!(verified(&text("[0 + 4 x 8 : 4]", "[4 + 4 x 8 : 4]")), Vec::<String>::new());
    refused(&verified(&text("[0 : 16]", "[8 : 16]")), "written by two steps");
    refused(&verified(&text("[0 + 4 x 8 : 4]", "[0 + 4 x 8 : 4]")), "written by two steps");
}

#[test]
fn what_steps_read_and_write_is_read_off_their_accesses() {
    let (steps, _) =
        parse("%0 = input 0, 4 bytes\n%1 = arena, 4 bytes\n{\nfused %0, %0[?] -> %1\n}").unwrap();
    let work = steps.work(steps.order()[0]);
    let of = |mode: Mode| work.accesses().into_iter().filter(|access: &Access| access.mode == mode).count();
    assert_eq!((work.reads().len(), work.writes().len()), (of(Mode::Read), of(Mode::Write)));
}

/// Steps one after another over an array that is copied, written a piece of, and read.
const PIECE: &str = "\
%0 = input 0, 64 bytes
%1 = arena, 64 bytes, at 0
%2 = result 0, 64 bytes
{
  copy %0 -> %1
  fill -> %1[0 : 4]
  fused %1 -> %2
}
";

/// What is read otherwise once the steps are in this order.
fn changed(text: &str, order: &[usize]) -> Vec<String> {
    let (mut steps, _) = parse(text).unwrap();
    let before = Makers::of(&steps);
    let ids = steps.order();
    steps.body = order.iter().map(|at| Item::Step(ids[*at])).collect();
    before.changed(&steps)
}

#[test]
fn a_step_that_sees_other_writes_than_before_is_refused() {
    assert_eq!(changed(PIECE, &[0, 1, 2]), Vec::<String>::new());
    refused(
        &changed(PIECE, &[0, 2]),
        "reads %1 as made by step 0 (copy), and read it as made by step 0 (copy) and step 1 (fill)",
    );
    refused(&changed(PIECE, &[0, 2, 1]), "reads %1 as made by step 0 (copy), and");
    refused(&changed(PIECE, &[1, 0, 2]), "reads %1 as made by step 0 (copy), and");
    let caller = changed(PIECE, &[0, 1]);
    refused(
        &caller,
        "the caller or a test reads %2 as made by nobody, and read it as made by step 2 (fused)",
    );
}

#[test]
fn what_one_step_does_for_another_is_no_change() {
    let (mut steps, _) = parse(PIECE).unwrap();
    let before = Makers::of(&steps);
    let ids: Vec<StepId> = steps.order();
    steps.retain(&|step, _| step != ids[1]);
    refused(&before.changed(&steps), "made by step 0 (copy), and");
    steps.hand_over(ids[1], ids[0]);
    assert_eq!(before.changed(&steps), Vec::<String>::new());
}

#[test]
fn a_turn_of_a_loop_sees_what_the_last_one_made() {
    let text = "%0 = input 0, 64 bytes\n%1 = result 0, 64 bytes\n%2 = arena, 64 bytes, at 0\n{\ncopy %0 -> %1\nloop c0 < 3 {\nfused %1 -> %2\ncopy %2 -> %1\n}\n}";
    let (mut steps, _) = parse(text).unwrap();
    let before = Makers::of(&steps);
    let last = steps.order()[2];
    steps.retain(&|step, _| step != last);
    let found = before.changed(&steps);
    assert!(
        found.iter().any(|fault| fault.contains(
            "reads %1 as made by step 0 (copy), and read it as made by step 0 (copy) and step 2 (copy)"
        )),
        "{found:?}"
    );
}

/// The order of the outer body after a step moved before another one, if it did; copies and renames may.
fn moved_up(text: &str, step: usize, before: usize) -> Option<Vec<usize>> {
    let (mut steps, _) = parse(text).unwrap();
    let ids = steps.order();
    let moves = |steps: &crate::Steps<crate::Opaque>, step: StepId| {
        ["copy", "rename"].contains(&steps.work(step).kind())
    };
    let moved = steps.move_up(ids[step], ids[before], &moves);
    moved.then(|| steps.order().into_iter().map(Id::index).collect())
}

#[test]
fn a_step_moves_up_with_what_it_needs_and_over_nothing_that_it_touches() {
    let text = "\
%0 = input 0, 8 bytes  // x
%1 = arena, 64 bytes  // stack
%2 = arena, 64 bytes, in %1  // its next value
%3 = arena, 8 bytes  // inner
%4 = result 0, 64 bytes  // r
{
  fill -> %1  // 0
  fill -> %3  // 1
  loop c0 < 2 {  // inner
    dot %3 -> %3  // 2
  }
  fill -> %4  // 3
  rename %1 -> %2  // 4
  copy %0 -> %2[?]  // 5
  copy %3 -> %4[?]  // 6
}
";
    assert_eq!(moved_up(text, 5, 2), Some(vec![0, 1, 4, 5, 2, 3, 6]));
    // Not over what fills the stack, nor over a loop that writes what is copied, nor with a step that may not move.
    assert_eq!(moved_up(text, 5, 0), None);
    assert_eq!(moved_up(text, 6, 2), None);
    assert_eq!(moved_up(text, 6, 3), None);
}
