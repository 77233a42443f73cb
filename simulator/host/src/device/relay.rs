//! Devices in front of another one, which pass requests on to it.
//!
//! Such a device implements only what it adds ([`Relay`]), which makes it a [`Device`]. A new
//! method of [`Device`] must be passed on here, and in no other place.

use std::borrow::Cow;
use std::time::Duration;

use super::{Argument, Device, ModuleHandle, Pointer};
use crate::launch::Launch;
use crate::ptx::Module;
use crate::report::Report;
use crate::{
    DeviceError, Download, Ended, Event, ImageHandle, LaunchHandle, Sampler, Stream, StreamKind,
    Texels,
};

/// A device in front of another one.
///
/// ```
/// use warpsim::host::{
///     Device, DeviceError, Launch, ModuleHandle, Pointer, Relay, Simulator,
/// };
/// use warpsim::report::Report;
///
/// /// A device that counts the launches that have ended.
/// #[derive(Default)]
/// struct Counting(Simulator, usize);
///
/// impl Relay for Counting {
///     fn title(&self) -> String {
///         self.0.name()
///     }
///
///     fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
///         self.0.variable(module, name)
///     }
///
///     fn hand_on<R>(
///         &mut self,
///         ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
///     ) -> Result<R, DeviceError> {
///         ask(&mut self.0)
///     }
///
///     fn ended(&mut self, report: Report) -> Report {
///         self.1 += 1;
///         report
///     }
/// }
///
/// let text = ".version 7.0 .target sm_70 .address_size 64 .entry k() { ret; }";
/// let mut device = Counting::default();
/// let module = device.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// device.launch(module, "k", &Launch::new(1, 32), &[])?;
/// assert_eq!(device.1, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Relay {
    /// Its name, as of [`Device::name`].
    fn title(&self) -> String;

    /// The place of a variable, as of [`Device::variable`].
    ///
    /// # Errors
    /// When there is no such variable, or the device is gone.
    fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError>;

    /// Asks the other device.
    ///
    /// # Errors
    /// The errors of the answer, or an error when the device is gone.
    fn hand_on<R>(
        &mut self,
        ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError>;

    /// The module to load in place of this one.
    ///
    /// # Errors
    /// When it refuses the module.
    fn in_place_of<'m>(&self, module: &'m Module) -> Result<Cow<'m, Module>, DeviceError> {
        Ok(Cow::Borrowed(module))
    }

    /// Called after memory was allocated.
    fn allocated(&mut self, pointer: Pointer, bytes: u64) {
        let _ = (pointer, bytes);
    }

    /// Called after memory was freed.
    fn freed(&mut self, pointer: Pointer) {
        let _ = pointer;
    }

    /// Called for each launch before it is passed on.
    ///
    /// # Errors
    /// When it refuses the launch.
    fn before_launch(
        &mut self,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let _ = (kernel, launch, arguments);
        Ok(())
    }

    /// Makes the report for the host from the report of a launch that has ended.
    fn ended(&mut self, report: Report) -> Report {
        report
    }

    /// Sees the bytes of a copy from the device before the host does.
    fn downloaded(&mut self, bytes: &mut [u8]) {
        let _ = bytes;
    }
}

/// The launches that have ended, with their reports for the host.
fn told<T: Relay>(to: &mut T, ended: Vec<Ended>) -> Vec<Ended> {
    let told = |one: Ended| Ended { report: to.ended(one.report), ..one };
    ended.into_iter().map(told).collect()
}

impl<T: Relay> Device for T {
    fn name(&self) -> String {
        self.title()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let pointer = self.hand_on(|to| to.allocate(bytes))?;
        self.allocated(pointer, bytes);
        Ok(pointer)
    }

    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let pointer = self.hand_on(|to| to.allocate_host(bytes))?;
        self.allocated(pointer, bytes);
        Ok(pointer)
    }

    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.hand_on(|device| device.host_write(to, bytes))
    }

    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.hand_on(|to| to.host_read(from, into))
    }

    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.hand_on(|device| device.copy_async(stream, to, from, bytes))
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.hand_on(|to| to.free(pointer))?;
        self.freed(pointer);
        Ok(())
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.hand_on(|device| device.upload(to, bytes))
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        self.hand_on(|to| to.define(start, bytes))
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.hand_on(|to| to.download(from, into))?;
        self.downloaded(into);
        Ok(())
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        let module = self.in_place_of(module)?;
        self.hand_on(|to| to.load(&module))
    }

    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        self.place(module, name)
    }

    fn launch(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Report, DeviceError> {
        self.before_launch(kernel, launch, arguments)?;
        let report = self.hand_on(|to| to.launch(module, kernel, launch, arguments))?;
        Ok(self.ended(report))
    }

    fn texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        self.hand_on(|to| to.texture(texels, sampler, bytes))
    }

    fn surface(&mut self, texels: &Texels, bytes: &[u8]) -> Result<ImageHandle, DeviceError> {
        self.hand_on(|to| to.surface(texels, bytes))
    }

    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        self.hand_on(|to| to.stream(kind))
    }

    fn event(&mut self) -> Result<Event, DeviceError> {
        self.hand_on(|to| to.event())
    }

    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        self.before_launch(kernel, launch, arguments)?;
        self.hand_on(|to| to.launch_on(stream, module, kernel, launch, arguments))
    }

    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.hand_on(|device| device.upload_async(stream, to, bytes))
    }

    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        self.hand_on(|to| to.download_async(stream, from, bytes))
    }

    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = self.hand_on(|to| to.fetch(download))?;
        self.downloaded(&mut bytes);
        Ok(bytes)
    }

    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        self.hand_on(|to| to.record(event, stream))
    }

    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        self.hand_on(|to| to.wait(stream, event))
    }

    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        self.hand_on(|to| to.elapsed(start, end))
    }

    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        let ended = self.hand_on(|to| to.synchronise())?;
        Ok(told(self, ended))
    }

    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        let ended = self.hand_on(|to| to.synchronise_stream(stream))?;
        Ok(told(self, ended))
    }

    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        let ended = self.hand_on(|to| to.synchronise_event(event))?;
        Ok(told(self, ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulator;

    /// A device that records its calls, and refuses one kernel.
    #[derive(Default)]
    struct Listening {
        gpu: Simulator,
        live: Vec<(Pointer, u64)>,
        launched: Vec<(String, [u32; 3], usize)>,
    }

    impl Relay for Listening {
        fn title(&self) -> String {
            self.gpu.name()
        }

        fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
            self.gpu.variable(module, name)
        }

        fn hand_on<R>(
            &mut self,
            ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
        ) -> Result<R, DeviceError> {
            ask(&mut self.gpu)
        }

        fn allocated(&mut self, pointer: Pointer, bytes: u64) {
            self.live.push((pointer, bytes));
        }

        fn freed(&mut self, pointer: Pointer) {
            self.live.retain(|(base, _)| *base != pointer);
        }

        fn before_launch(
            &mut self,
            kernel: &str,
            launch: &Launch,
            arguments: &[Argument],
        ) -> Result<(), DeviceError> {
            self.launched.push((kernel.to_owned(), launch.block, arguments.len()));
            if kernel == "refused" { Err(DeviceError::Lost) } else { Ok(()) }
        }
    }

    #[test]
    fn it_is_told_of_memory_that_there_is_and_of_launches_before_they_run() {
        let text = ".version 7.0 .target sm_70 .address_size 64
            .visible .entry runs(.param .u64 p) { .reg .u64 %a; ld.param.u64 %a, [p];
              st.global.u32 [%a], 7; ret; }
            .visible .entry refused(.param .u64 p) { .reg .u64 %a; ld.param.u64 %a, [p];
              st.global.u32 [%a], 8; ret; }";
        let mut device = Listening::default();
        let module = device.load(&crate::ptx::parse("k.ptx", text).unwrap()).unwrap();
        let (cell, other) = (device.allocate(4).unwrap(), device.allocate(8).unwrap());
        let of_host = device.allocate_host(16).unwrap();
        device.free(other).unwrap();
        device.free(other).unwrap_err();
        assert_eq!(device.live, [(cell, 4), (of_host, 16)]);
        let launch = Launch::new(1, 32);
        let stream = device.stream(StreamKind::Blocking).unwrap();
        for kernel in ["runs", "refused"] {
            let argument = [Argument::Pointer(cell)];
            let direct = device.launch(module, kernel, &launch, &argument).is_ok();
            let queued = device.launch_on(stream, module, kernel, &launch, &argument).is_ok();
            assert_eq!((direct, queued), (kernel == "runs", kernel == "runs"));
        }
        device.synchronise().unwrap();
        let kernels: Vec<&str> = device.launched.iter().map(|(kernel, ..)| &**kernel).collect();
        assert_eq!(kernels, ["runs", "runs", "refused", "refused"]);
        assert!(
            device.launched.iter().all(|(_, block, count)| (*block, *count) == ([32, 1, 1], 1))
        );
        let mut bytes = [0; 4];
        device.download(cell, &mut bytes).unwrap();
        assert_eq!(bytes, [7, 0, 0, 0]);
    }
}
