//! `shuffle-inactive-lane`.

use super::*;

fn half(inside: &str) -> String {
    format!("setp.ge.u32 %p1, %l, 16;\n@%p1 bra end;\n{inside}\nst.global.u32 [%o], %r1;\nend:")
}

#[test]
fn a_shuffle_of_a_whole_warp_is_clean() {
    for mode in
        ["down.b32 %r1, %t, 16, 0x1f", "up.b32 %r1, %t, 3, 0", "bfly.b32 %r1, %t, 5, 0x181f"]
    {
        expect(&format!("shfl.sync.{mode}, -1;\nst.global.u32 [%o], %r1;"), 64, CLEAN);
    }
}

#[test]
fn sources_inside_of_the_right_mask_are_clean_and_outside_of_it_are_not() {
    expect(&half("shfl.sync.bfly.b32 %r1, %t, 8, 0x1f, 0xffff;"), 32, CLEAN);
    expect(&half("shfl.sync.bfly.b32 %r1, %t, 16, 0x1f, 0xffff;"), 32, SHUFFLE);
    expect(&half("shfl.sync.idx.b32 %r1, %t, 15, 0x1f, 0xffff;"), 32, CLEAN);
    expect(&half("shfl.sync.idx.b32 %r1, %t, 20, 0x1f, 0xffff;"), 32, SHUFFLE);
    // Out of range a lane reads itself.
    expect(&half("shfl.sync.down.b32 %r1, %t, 8, 0x100f, 0xffff;"), 32, CLEAN);
}

#[test]
fn lanes_of_another_mask_give_nothing_though_they_are_there() {
    let halves = |source| {
        format!(
            "setp.lt.u32 %p1, %l, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\n\
             shfl.sync.bfly.b32 %r1, %t, {source}, 0x1f, %r2;\nst.global.u32 [%o], %r1;"
        )
    };
    expect(&halves(8), 32, CLEAN);
    expect(&halves(16), 32, SHUFFLE);
}

#[test]
fn lanes_that_have_exited_or_never_were_give_nothing() {
    let module = kernel("", &half("shfl.sync.idx.b32 %r1, %t, 20, 0x1f, -1;"));
    expect_under(&[Model::Independent], &module, 32, SHUFFLE);
    let short = "shfl.sync.down.b32 %r1, %t, 4, 0x1f, -1;\nst.global.u32 [%o], %r1;";
    expect(short, 40, SHUFFLE);
    expect(&short.replace("%t, 4, 0x1f", "%t, 4, 0x1807"), 40, CLEAN);
}

#[test]
fn shuffles_without_sync_take_who_is_there() {
    let lockstep = [Model::Lockstep];
    let with = |lane| kernel("", &half(&format!("shfl.idx.b32 %r1, %t, {lane}, 0x1f;")));
    expect_under(&lockstep, &with(3), 32, CLEAN);
    expect_under(&lockstep, &with(20), 32, SHUFFLE);
}

#[test]
fn the_first_reader_is_shown_with_its_source() {
    let module = kernel("", &half("shfl.sync.idx.b32 %r1, %t, 20, 0x1f, 0xffff;"));
    let (_, findings) = run(&module, "k", 32, Model::Independent, "in-order");
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].count, 16);
    let text = "lane 0 reads a value from lane 20, which does not take part";
    let exited = "lane 0 reads a value from lane 20, which has exited";
    assert!([text, exited].contains(&&*findings[0].explanation), "{}", findings[0].explanation);
}
