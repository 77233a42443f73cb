//! The texts of a program beside its module: the CUDA source, and what compilers made of it
//! (`scripts/compile-programs.sh`).

/// `NAME.cu`, as a [`Text`](crate::Text).
macro_rules! cuda {
    ($name:literal) => {
        $crate::Text { file: concat!($name, ".cu"), text: include_str!(concat!($name, ".cu")) }
    };
}

/// `NAME.ptx` and `NAME.o3.ptx`, each with its form.
macro_rules! compiled {
    ($name:literal) => {
        &[
            (
                $crate::Form::Naive,
                $crate::Text {
                    file: concat!($name, ".ptx"),
                    text: include_str!(concat!($name, ".ptx")),
                },
            ),
            (
                $crate::Form::Optimised,
                $crate::Text {
                    file: concat!($name, ".o3.ptx"),
                    text: include_str!(concat!($name, ".o3.ptx")),
                },
            ),
        ]
    };
}

pub(crate) use {compiled, cuda};
