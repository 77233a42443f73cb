//! Races between tasks of different streams, through the whole device.

use proptest::prelude::*;

use super::{BOTH, device, one_thread, pointers};
use crate::observe::TaskRaces;
use crate::report::{Code, Finding, Hazard};
use crate::{
    Device, DeviceError, Event, Launch, LaunchHandle, ModuleHandle, Pointer, Stream, StreamKind,
    StreamOrder, Watched,
};

type Result<T> = std::result::Result<T, DeviceError>;

/// What host code has at hand: two buffers of 64 bytes, two streams that do not wait for the
/// default stream, and an event.
struct Host<'a> {
    device: Watched<'a>,
    module: ModuleHandle,
    a: Pointer,
    b: Pointer,
    s: Stream,
    t: Stream,
    event: Event,
}

impl Host<'_> {
    fn launch<const N: usize>(
        &mut self,
        stream: Stream,
        kernel: &str,
        cells: [Pointer; N],
    ) -> Result<LaunchHandle> {
        self.device.launch_on(stream, self.module, kernel, &one_thread(), &pointers(cells))
    }

    fn order(&mut self, first: Stream, second: Stream) -> Result<()> {
        self.device.record(self.event, first)?;
        self.device.wait(second, self.event)
    }
}

/// The findings when this host code runs and then waits for everything.
fn found(order: StreamOrder, code: impl Fn(&mut Host<'_>) -> Result<()>) -> Vec<Finding> {
    let (mut gpu, module) = device(order);
    let mut races = TaskRaces::default();
    let mut device = gpu.watched(&mut races);
    let mut host = Host {
        module,
        a: device.allocate(64).unwrap(),
        b: device.allocate(64).unwrap(),
        s: device.stream(StreamKind::NonBlocking).unwrap(),
        t: device.stream(StreamKind::NonBlocking).unwrap(),
        event: device.event().unwrap(),
        device,
    };
    code(&mut host).unwrap();
    host.device.synchronise().unwrap();
    races.take_findings()
}

fn codes(code: impl Fn(&mut Host<'_>) -> Result<()>) -> Vec<Code> {
    let [one, other] = BOTH.map(|order| {
        let mut codes: Vec<Code> = found(order, &code).iter().map(|f| f.code).collect();
        codes.sort_unstable();
        codes
    });
    assert_eq!(one, other, "the verdict depends on the order of execution");
    one
}

#[test]
fn launches_in_unordered_streams_race_where_both_touch_and_one_writes() {
    let both_write = codes(|h| {
        h.launch(h.s, "mark", [h.a])?;
        h.launch(h.t, "mark", [h.a])?;
        Ok(())
    });
    assert_eq!(both_write, [Code::Race]);
    let one_reads = codes(|h| {
        h.launch(h.s, "mark", [h.a])?;
        h.launch(h.t, "look", [h.a])?;
        Ok(())
    });
    assert_eq!(one_reads, [Code::Race]);
    let clean = codes(|h| {
        h.launch(h.s, "look", [h.a])?;
        h.launch(h.t, "look", [h.a])?;
        h.launch(h.t, "mark", [h.b])?;
        h.launch(h.s, "mark", [h.b.offset(1)])?;
        Ok(())
    });
    assert_eq!(clean, []);
}

#[test]
fn an_event_or_the_host_between_them_makes_it_clean() {
    let event = codes(|h| {
        h.launch(h.s, "twice", [h.a])?;
        h.order(h.s, h.t)?;
        h.launch(h.t, "twice", [h.a])?;
        Ok(())
    });
    assert_eq!(event, []);
    let host = codes(|h| {
        h.launch(h.s, "twice", [h.a])?;
        h.device.synchronise_stream(h.s)?;
        h.launch(h.t, "twice", [h.a])?;
        Ok(())
    });
    assert_eq!(host, []);
    let recorded_too_early = codes(|h| {
        h.order(h.s, h.t)?;
        h.launch(h.s, "mark", [h.a])?;
        h.launch(h.t, "mark", [h.a])?;
        Ok(())
    });
    assert_eq!(recorded_too_early, [Code::Race]);
}

#[test]
fn atomics_of_two_launches_race_only_when_their_scope_is_too_narrow() {
    let with = |kernel: &'static str| {
        codes(move |h| {
            h.launch(h.s, kernel, [h.a])?;
            h.launch(h.t, "count", [h.a])?;
            Ok(())
        })
    };
    assert_eq!(with("count"), []);
    assert_eq!(with("count_block"), [Code::Race]);
    assert_eq!(with("look"), [Code::Race]);
}

#[test]
fn copies_race_with_launches_and_with_copies() {
    let upload = codes(|h| {
        h.launch(h.s, "look", [h.a])?;
        h.device.upload(h.a, &[1])
    });
    assert_eq!(upload, [Code::Race]);
    let download = codes(|h| {
        h.launch(h.s, "look", [h.a])?;
        h.device.download(h.a, &mut [0])
    });
    assert_eq!(download, []);
    let two = codes(|h| {
        h.device.upload_async(h.s, h.a, &[0; 8])?;
        h.device.download_async(h.t, h.a.offset(7), 4).map(|_| ())
    });
    assert_eq!(two, [Code::Race]);
    let apart = codes(|h| {
        h.device.upload_async(h.s, h.a, &[0; 8])?;
        h.device.download_async(h.t, h.a.offset(8), 4).map(|_| ())
    });
    assert_eq!(apart, []);
}

#[test]
fn freeing_what_a_launch_reaches_through_memory_is_a_use_after_free() {
    // As issued, the launch comes first and nothing goes wrong.
    let findings = found(StreamOrder::AsIssued, |h| {
        h.device.upload(h.a, &h.b.0.to_le_bytes())?;
        h.launch(h.s, "through", [h.a])?;
        h.device.free(h.b)
    });
    assert_eq!(findings.iter().map(|f| f.code).collect::<Vec<_>>(), [Code::UseAfterFree]);
    let waited = found(StreamOrder::AsIssued, |h| {
        h.device.upload(h.a, &h.b.0.to_le_bytes())?;
        h.launch(h.s, "through", [h.a])?;
        h.device.synchronise_stream(h.s)?;
        h.device.free(h.b)
    });
    assert_eq!(waited, []);
}

#[test]
fn a_finding_names_both_tasks_and_the_first_byte() {
    let findings = found(StreamOrder::AsIssued, |h| {
        let threads = Launch::new(1, 48);
        let (module, s) = (h.module, h.s);
        h.device.launch_on(s, module, "mark", &threads, &pointers([h.a]))?;
        h.device.upload_async(h.t, h.a.offset(40), &[0; 24])
    });
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.hazard, finding.count), (Some(Hazard::WriteAfterWrite), 8));
    let [site] = &finding.sites[..] else { panic!("{finding:?}") };
    assert_eq!((&*site.operation, site.thread, site.lane), ("st.global.u8", [40, 0, 0], 8));
    assert!(finding.explanation.contains("the launch of `mark` in stream 1"), "{finding:?}");
    assert!(finding.explanation.contains("the copy to the device in stream 2"), "{finding:?}");
}

/// A task that touches the bytes from `start`, one for each thread when it is a launch.
#[derive(Clone, Copy, Debug)]
struct Piece {
    stream: usize,
    writes: bool,
    is_copy: bool,
    start: u64,
    bytes: u64,
}

fn piece() -> impl Strategy<Value = Piece> {
    (1..4usize, any::<bool>(), any::<bool>(), 4000..4200u64, 1..120u64).prop_map(
        |(stream, writes, is_copy, start, bytes)| Piece { stream, writes, is_copy, start, bytes },
    )
}

proptest! {
    #[test]
    fn pairs_of_streams_race_in_the_bytes_that_both_touch_and_one_writes(
        pieces in prop::collection::vec(piece(), 2..7),
        reversed: bool,
    ) {
        let order = if reversed { StreamOrder::Reversed } else { StreamOrder::AsIssued };
        let (mut gpu, module) = device(order);
        let mut races = TaskRaces::default();
        let mut device = gpu.watched(&mut races);
        let buffer = device.allocate(8192).unwrap();
        for _ in 0..3 {
            device.stream(StreamKind::NonBlocking).unwrap();
        }
        for p in &pieces {
            let (stream, at) = (Stream::new(p.stream), buffer.offset(p.start));
            match (p.is_copy, p.writes) {
                (true, true) => {
                    device.upload_async(stream, at, &vec![0; p.bytes as usize]).unwrap();
                }
                (true, false) => {
                    device.download_async(stream, at, p.bytes as usize).unwrap();
                }
                (false, writes) => {
                    let kernel = if writes { "mark" } else { "look" };
                    let launch = Launch::new(1, p.bytes as u32);
                    device.launch_on(stream, module, kernel, &launch, &pointers([at])).unwrap();
                }
            }
        }
        device.synchronise().unwrap();
        let mut found: Vec<(u64, u64)> = races
            .take_findings()
            .iter()
            .map(|f| (f.address.unwrap() - buffer.0, f.count))
            .collect();
        let mut expected = Vec::new();
        for (index, p) in pieces.iter().enumerate() {
            for q in &pieces[..index] {
                let common: Vec<u64> = (p.start..p.start + p.bytes)
                    .filter(|byte| (q.start..q.start + q.bytes).contains(byte))
                    .collect();
                if p.stream != q.stream && (p.writes || q.writes) && !common.is_empty() {
                    expected.push((common[0], common.len() as u64));
                }
            }
        }
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}
