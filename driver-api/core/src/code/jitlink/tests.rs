//! Linked inputs, refused inputs, and hostile inputs. The numbers of errors are the answers of
//! NVIDIA's library (13.5) to the same calls.

use proptest::prelude::*;

use super::*;
use crate::{container, fat_binary, texts};

/// A compiler that returns the PTX behind the magic of the first input. With `false` there is no
/// compiler.
struct Fake(bool);

impl Compiler for Fake {
    fn compile(&self, options: &[String], inputs: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
        assert!(options.iter().any(|option| option == "-lto"));
        match inputs.first() {
            Some((_, data)) if self.0 => Ok(data[4..].to_vec()),
            Some(_) | None => Err("there is no compiler".to_owned()),
        }
    }
}

const KERNEL: &[u8] = b".version 8.0\n.target sm_80\n.address_size 64\n\
    .extern .func helper();\n.visible .entry k() { call helper; ret; }\n";
const HELPER: &[u8] =
    b".version 8.0\n.target sm_80\n.address_size 64\n.visible .func helper() { ret; }\n";

fn linker(options: &[&str]) -> Result<JitLinker, JitLinkError> {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    JitLinker::new(&options)
}

fn lto_ir(text: &[u8]) -> Vec<u8> {
    [&LTO_IR.to_le_bytes()[..], text].concat()
}

#[test]
fn options_are_those_of_the_header_and_an_architecture_has_to_be_among_them() {
    use JitLinkError as E;
    for (options, error) in [
        (&[][..], E::MissingArch),
        (&["-arch=sm_90", "-frob"], E::UnrecognizedOption),
        (&["-arch=sm_90", "-O2"], E::UnrecognizedOption),
        (&["--arch=sm_90"], E::UnrecognizedOption),
        (&["-arch=sm_90", "-ftz"], E::UnrecognizedOption),
        (&["-arch=sm_90", "-ptx"], E::IncompatibleOptions),
        (&["-arch=compute_90"], E::IncompatibleOptions),
        (&["-arch=foo"], E::UnrecognizedArch),
    ] {
        assert_eq!(linker(options).err(), Some(error), "{options:?}");
    }
    for options in [
        &["-arch=sm_90a", "-O3", "-ftz=1", "-Xptxas=-v", "-kernels-used=a,b", "-time"][..],
        &["-arch=compute_90", "-lto", "-ptx", "-relocatable-device-code=true"],
    ] {
        assert!(linker(options).is_ok(), "{options:?}");
    }
    assert_eq!((E::IncompatibleOptions.number(), E::IncorrectInputType.number()), (11, 12));
}

#[test]
fn texts_in_all_their_containers_are_linked_to_one_that_can_be_loaded() {
    let mut linker = linker(&["-arch=sm_90"]).unwrap();
    linker.add(JitLinkInput::Ptx, KERNEL, "kernel").unwrap();
    linker.add(JitLinkInput::Cubin, &container(HELPER), "helper").unwrap();
    linker.add(JitLinkInput::Library, ARCHIVE, "libcudadevrt.a").unwrap();
    assert_eq!(linker.cubin(), Err(JitLinkError::InvalidInput), "nothing is linked yet");
    linker.complete(&Fake(false)).unwrap();
    let linked = texts(&linker.cubin().unwrap()).unwrap();
    let module = ptx::parse_bytes("linked", &linked[0]).unwrap();
    assert_eq!(warpsim::lower::kernels(&module), ["k"]);
    assert_eq!(linker.text(), Err(JitLinkError::InvalidInput), "-ptx was not asked for");
    assert_eq!(linker.log(), "");
    assert_eq!(linker.complete(&Fake(false)), Err(JitLinkError::InvalidInput));
    // One alone keeps its text, with its lines.
    let mut alone = self::linker(&["-arch=sm_90"]).unwrap();
    alone.add(JitLinkInput::Any, &fat_binary(HELPER), "helper").unwrap();
    alone.complete(&Fake(false)).unwrap();
    assert_eq!(texts(&alone.cubin().unwrap()), Ok(vec![HELPER.to_vec()]));
}

#[test]
fn what_the_device_runtime_has_is_defined_where_its_library_is_linked() {
    let text = b".version 8.0\n.target sm_80\n.address_size 64\n\
        .extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s);\n\
        .visible .entry k() { .param .b32 s; .param .b64 r; st.param.b32 [s], 1;\n\
        call (r), cudaCGGetIntrinsicHandle, (s); ret; }\n";
    for (library, definitions) in [("libcudadevrt.a", 1), ("", 0)] {
        let mut linker = linker(&["-arch=sm_90"]).unwrap();
        linker.add(JitLinkInput::Ptx, text, "k").unwrap();
        if !library.is_empty() {
            linker.add(JitLinkInput::Library, ARCHIVE, library).unwrap();
        }
        linker.complete(&Fake(false)).unwrap();
        let linked = texts(&linker.cubin().unwrap()).unwrap();
        let module = ptx::parse_bytes("linked", &linked[0]).unwrap();
        let defined = module.items.iter().filter(|item| {
            matches!(item, ptx::Item::Function(f)
                if &*f.name.text == "cudaCGGetIntrinsicHandle" && f.body.is_some())
        });
        assert_eq!(defined.count(), definitions, "{library}");
    }
}

#[test]
fn intermediate_code_goes_through_the_compiler_and_is_linked_with_the_rest() {
    let mut lto = linker(&["-arch=sm_90", "-lto"]).unwrap();
    lto.add(JitLinkInput::LtoIr, &lto_ir(KERNEL), "kernel").unwrap();
    lto.add(JitLinkInput::Ptx, HELPER, "helper").unwrap();
    assert_eq!(lto.complete(&Fake(false)), Err(JitLinkError::NvvmCompile));
    assert_eq!(lto.log(), "error: LTO-IR: there is no compiler\n");
    lto.complete(&Fake(true)).unwrap();
    let linked = texts(&lto.cubin().unwrap()).unwrap();
    assert!(String::from_utf8_lossy(&linked[0]).contains("helper"));
    let mut ptx = linker(&["-arch=sm_90", "-lto", "-ptx"]).unwrap();
    ptx.add(JitLinkInput::LtoIr, &lto_ir(HELPER), "helper").unwrap();
    ptx.complete(&Fake(true)).unwrap();
    assert_eq!(ptx.text(), Ok([HELPER, &[0]].concat()));
    assert_eq!(ptx.cubin(), Err(JitLinkError::InvalidInput));
    let mut without = linker(&["-arch=sm_90"]).unwrap();
    let refused = without.add(JitLinkInput::LtoIr, &lto_ir(KERNEL), "kernel");
    assert_eq!(refused, Err(JitLinkError::LtoNotEnabled));
}

#[test]
fn what_an_input_is_not_is_an_error_with_a_number_and_the_others_are_linked() {
    use JitLinkError as E;
    use JitLinkInput as I;
    let mut all = linker(&["-arch=sm_90"]).unwrap();
    let wrong = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { foo.bar; }";
    for (kind, data, error) in [
        (I::Ptx, &b"rubbish"[..], E::IncorrectInputType),
        (I::Cubin, b"rubbish", E::IncorrectInputType),
        (I::Cubin, HELPER, E::IncorrectInputType),
        (I::LtoIr, b"rubbish", E::IncorrectInputType),
        (I::Index, b"rubbish", E::IncorrectInputType),
        (I::Any, b"rubbish", E::UnrecognizedInput),
        (I::Ptx, b"", E::InvalidInput),
        (I::Ptx, &wrong[..wrong.len() - 4], E::PtxCompile),
        (I::Cubin, b"\x7fELF", E::InvalidInput),
        (I::Library, b"!<arch>\n", E::InvalidInput),
    ] {
        assert_eq!(all.add(kind, data, "in"), Err(error), "{kind:?} {data:?}");
    }
    assert!(
        all.log().contains("error: in: its contents do not match its declared type\n"),
        "{}",
        all.log()
    );
    all.add(I::Ptx, HELPER, "helper").unwrap();
    all.complete(&Fake(false)).unwrap();
    let numbers: Vec<u32> = (0..20).filter(|n| I::of_number(*n).is_some()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 10]);
}

/// A beginning that means something, and then anything.
fn image() -> impl Strategy<Value = Vec<u8>> {
    let beginning = prop_oneof![
        Just(container(HELPER)),
        Just(fat_binary(KERNEL)),
        Just(KERNEL.to_vec()),
        Just(lto_ir(HELPER)),
        Just(ARCHIVE.to_vec()),
        Just(image::ELF.to_le_bytes().to_vec()),
        Just(Vec::new()),
    ];
    let bytes = proptest::collection::vec(any::<u8>(), 0..40);
    (beginning, 0usize..200, bytes).prop_map(|(mut image, cut, bytes)| {
        if cut < 100 {
            image.truncate(cut);
        }
        image.extend(bytes);
        image
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: warpsim_effort::cases(200, 100_000), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn random_calls_with_hostile_inputs_are_errors_and_nothing_else(
        options in proptest::sample::subsequence(vec!["-arch=sm_90", "-lto", "-ptx", "-g", "?"], 0..4),
        calls in proptest::collection::vec((0u32..12, image(), any::<bool>()), 0..8),
    ) {
        let Ok(mut linker) = linker(&options) else { return Ok(()) };
        for (kind, data, ends) in calls {
            let Some(kind) = JitLinkInput::of_number(kind) else { continue };
            let logged = linker.log().len();
            let refused = linker.add(kind, &data, "in").is_err();
            prop_assert_eq!(linker.log().len() > logged, refused, "what is refused is said");
            if ends {
                let _ = (linker.complete(&Fake(data.len() % 2 == 0)), linker.text());
            }
            if let Ok(cubin) = linker.cubin() {
                prop_assert!(texts(&cubin).is_ok());
            }
        }
    }
}
