//! Fat binaries made by hand, whole and broken.

use super::*;

/// An entry: kind, flags, compute capability, packed bytes, and how many they are unpacked.
fn entry(kind: u16, flags: u64, arch: u32, body: &[u8], unpacked: usize) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..2].copy_from_slice(&kind.to_le_bytes());
    bytes[4..8].copy_from_slice(&64u32.to_le_bytes());
    bytes[8..16].copy_from_slice(&(body.len() as u64).to_le_bytes());
    bytes[16..20].copy_from_slice(&(body.len() as u32).to_le_bytes());
    bytes[28..32].copy_from_slice(&arch.to_le_bytes());
    bytes[40..48].copy_from_slice(&flags.to_le_bytes());
    bytes[56..64].copy_from_slice(&(unpacked as u64).to_le_bytes());
    bytes.extend_from_slice(body);
    bytes
}

fn fat(entries: &[Vec<u8>]) -> Vec<u8> {
    let body = entries.concat();
    let mut bytes = FAT_BINARY.to_le_bytes().to_vec();
    bytes.extend_from_slice(&1u16.to_le_bytes());
    bytes.extend_from_slice(&16u16.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

#[test]
fn the_text_for_the_newest_device_is_taken_and_zeros_behind_it_are_not() {
    let entries = [
        entry(1, 0, 70, b"old\0\0", 0),
        entry(2, 0, 90, b"\x7fELF", 0),
        entry(1, 0, 80, b"new\0\0\0", 0),
    ];
    assert_eq!(texts(&fat(&entries)), Ok(vec![b"new".to_vec()]));
    assert_eq!(texts(b".version 8.0\0"), Ok(vec![b".version 8.0".to_vec()]));
}

#[test]
fn of_several_versions_a_device_gets_the_newest_that_it_can_run_and_else_the_oldest() {
    let image =
        fat(&[entry(1, 0, 120, b"c", 0), entry(1, 0, 70, b"a", 0), entry(1, 0, 80, b"b", 0)]);
    for (device, text) in [(75, b"a"), (80, b"b"), (90, b"b"), (120, b"c"), (60, b"a")] {
        assert_eq!(texts_for(&image, device), Ok(vec![text.to_vec()]), "{device}");
    }
}

#[test]
fn machine_code_alone_is_refused_with_advice() {
    let alone = fat(&[entry(2, 0, 90, b"\x7fELF", 0)]);
    for image in [alone.as_slice(), b"\x7fELF and more"] {
        let error = texts(image).unwrap_err();
        assert_eq!(error, ImageError::MachineCode);
        assert!(error.to_string().contains("code=compute_80"), "{error}");
    }
}

/// The frames are made by hand from RFC 8878: a header with the size in one byte (single segment),
/// then blocks of bytes as they are (type 0) and of one byte again and again (type 1), the last
/// with its lowest bit set.
#[test]
fn text_packed_by_zstandard_is_unpacked_and_not_beyond_its_size() {
    let frame = [
        &[0x28, 0xb5, 0x2f, 0xfd, 0x20, 9][..],
        &[4 << 3, 0, 0, b'a', b'b', b'c', b'd'],
        &[(5 << 3) | 2 | 1, 0, 0, b'x'],
    ]
    .concat();
    let image = |unpacked| fat(&[entry(1, ZSTANDARD, 80, &frame, unpacked)]);
    assert_eq!(texts(&image(9)), Ok(vec![b"abcdxxxxx".to_vec()]));
    for wrong in [0, 8, 10] {
        assert!(matches!(texts(&image(wrong)), Err(ImageError::Broken { .. })), "{wrong}");
    }
    assert_eq!(texts(&image(LONGEST + 1)), Err(ImageError::TooLong));
    for end in 0..frame.len() {
        assert_eq!(zstandard(&frame[..end], 9), None, "{end}");
    }
}

/// The block is made by hand from the format's description: 4 literals, a match of 8 at offset 4,
/// then 1 literal.
#[test]
fn text_packed_by_lz4_is_unpacked() {
    let packed = [0x44, b'a', b'b', b'c', b'd', 4, 0, 0x10, b'e'];
    assert_eq!(lz4(&packed, 13).as_deref(), Some(&b"abcdabcdabcde"[..]));
    let image = fat(&[entry(1, LZ4, 80, &packed, 13)]);
    assert_eq!(texts(&image), Ok(vec![b"abcdabcdabcde".to_vec()]));
    // 15 + 2 literals, whose number takes a second byte.
    let long = [&[0xf0, 2][..], &[b'x'; 17][..]].concat();
    assert_eq!(lz4(&long, 17), Some(vec![b'x'; 17]));
}

#[test]
fn broken_containers_are_errors_and_cost_no_more_than_their_bytes() {
    let packed = [0x44, b'a', b'b', b'c', b'd', 4, 0, 0x10, b'e'];
    // Too many, too few, a match before the beginning, a match of nothing, and more than any text.
    assert_eq!((lz4(&packed, 12), lz4(&packed, 14)), (None, None));
    assert_eq!(lz4(&[0x14, b'a', 2, 0, 0], 9), None);
    assert_eq!(lz4(&[0x14, b'a', 0, 0, 0], 9), None);
    assert_eq!(lz4(&packed, LONGEST + 1), None);
    let whole = fat(&[entry(1, 0, 80, b"text", 0), entry(1, LZ4, 90, &packed, 13)]);
    for cut in 16..whole.len() {
        // Whatever is left of it, it is an answer.
        let _ = texts(&whole[..cut]);
    }
    let mut huge = whole.clone();
    huge[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(texts(&huge), Err(ImageError::Broken { what: "an entry points outside of it" }));
    assert_eq!(texts(&fat(&[entry(1, LZ4 | ZSTANDARD, 80, b"x", 1)])), Err(ImageError::Packed));
}

#[test]
fn a_container_of_ours_gives_its_text_and_a_broken_one_is_refused() {
    let whole = container(b".version 8.0");
    assert_eq!(texts(&whole), Ok(vec![b".version 8.0".to_vec()]));
    assert_eq!(whole.first_chunk().map(|h| bytes_of_container(*h)), Some(Some(whole.len())));
    // Bytes that are missing, or only claimed, are not read.
    for cut in 4..whole.len() {
        assert!(matches!(texts(&whole[..cut]), Err(ImageError::Broken { .. })), "{cut}");
    }
    for length in [13, LONGEST as u64 + 1, u64::MAX] {
        let mut hostile = whole.clone();
        hostile[8..16].copy_from_slice(&length.to_le_bytes());
        let claimed = hostile.first_chunk().and_then(|header| bytes_of_container(*header));
        assert_eq!(claimed, (length == 13).then_some(CONTAINER_HEADER + 13), "no more is read");
        assert!(matches!(texts(&hostile), Err(ImageError::Broken { .. })), "{length}");
    }
    let mut later = whole;
    later[4] = 2;
    assert!(matches!(texts(&later), Err(ImageError::Broken { .. })));
}

#[test]
fn a_fat_binary_without_an_entry_says_so() {
    assert_eq!(texts(&fat(&[])), Err(ImageError::Empty));
    assert_eq!(texts(&fat(&[entry(2, 0, 90, b"\x7fELF", 0)])), Err(ImageError::MachineCode));
}

/// A zero, and matches that repeat it: 255 bytes for each byte of the length.
fn zeros_by_lz4(bytes: usize) -> Vec<u8> {
    let matched = bytes - 1 - 4 - 15;
    let mut packed = vec![0x1f, 0, 1, 0];
    packed.extend(vec![255; matched / 255]);
    packed.push((matched % 255) as u8);
    packed
}

/// Each of these entries is as long as one text may be; together they would take 16 GiB.
#[test]
fn texts_that_are_too_long_together_are_refused_before_one_is_unpacked() {
    let one = entry(1, LZ4, 80, &zeros_by_lz4(1 << 20), 1 << 20);
    assert_eq!(
        texts(&fat(std::slice::from_ref(&one))),
        Ok(vec![Vec::new()]),
        "the block is a right one"
    );
    let long = entry(1, LZ4, 80, b"", LONGEST);
    assert_eq!(texts(&fat(&vec![long; 64])), Err(ImageError::TooLong));
    assert!(texts(&fat(&vec![one; 200])).is_ok());
}
