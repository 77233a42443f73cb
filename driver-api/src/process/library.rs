//! Libraries on top of CUDA: their results, which have their own numbers, and how their functions
//! are entered.

/// The results of a library, its functions' [`Answer`](std::result::Result), and `entered`, through
/// which they are called. First the name before a number in the log; then the results; then which
/// of them an error of CUDA is; then what one means, where its own name does not say it.
macro_rules! library {
    (
        $(#[$doc:meta])*
        $title:literal {
            $($status:ident = $number:literal,)+
        }
        $($error:pat => $is:ident),+ $(,)?
    ) => {
        $crate::process::library! {
            $(#[$doc])*
            $title {
                $($status = $number,)+
            }
            $($error => $is),+;
            |status| format!("{status:?}")
        }
    };
    (
        $(#[$doc:meta])*
        $title:literal {
            $($status:ident = $number:literal,)+
        }
        $($error:pat => $is:ident),+;
        |$of:ident| $words:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Status {
            $($status = $number,)+
        }

        impl From<warpsim_driver_core::CudaError> for Status {
            fn from(error: warpsim_driver_core::CudaError) -> Status {
                match error {
                    $($error => Status::$is,)+
                }
            }
        }

        impl $crate::process::Number for Status {
            fn number(&self) -> u32 {
                *self as u32
            }

            fn name(&self) -> String {
                format!(concat!($title, " {}"), self.number())
            }

            fn words(&self) -> String {
                let $of = self;
                $words
            }
        }

        type Answer<T> = Result<T, Status>;

        /// A call from C.
        fn entered(
            name: &'static str,
            arguments: $crate::process::Arguments<'_>,
            body: &mut dyn FnMut() -> Answer<()>,
        ) -> u32 {
            $crate::process::answered($crate::process::Api::Library, name, arguments, body)
        }
    };
}
pub(crate) use library;
