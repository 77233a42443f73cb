//! Streams that are captured.

use warpsim_driver_core::{Answer, CaptureFacts, CaptureMode, CudaError, DefaultStream, Handle};

use super::structures::EdgeData;
use super::{both, both_streamed, handles, kept, whole};
use crate::pointers::{In, Out};
use crate::process::with;

fn mode(number: u32) -> Answer<CaptureMode> {
    CaptureMode::of_number(number).ok_or(CudaError::InvalidValue)
}

/// `CU_STREAM_CAPTURE_STATUS_*`.
fn status(facts: Option<&CaptureFacts>) -> u32 {
    match facts {
        None => 0,
        Some(CaptureFacts { is_valid: true, .. }) => 1,
        Some(CaptureFacts { is_valid: false, .. }) => 2,
    }
}

/// Where to write the answers to a query about a stream's capture.
pub(super) struct Asked {
    pub(super) status: Out<u32>,
    pub(super) number: Out<u64>,
    pub(super) graph: Out<Handle>,
    pub(super) last: Out<*const Handle>,
    pub(super) edges: Out<*const EdgeData>,
    pub(super) count: Out<usize>,
}

impl Asked {
    /// Where nothing is asked.
    pub(super) const NONE: Asked = Asked {
        status: Out::NONE,
        number: Out::NONE,
        graph: Out::NONE,
        last: Out::NONE,
        edges: Out::NONE,
        count: Out::NONE,
    };
}

pub(super) fn facts(stream: Handle, default: DefaultStream, to: &Asked) -> Answer<()> {
    let facts = with(|call| call.capture_facts(stream, default))?;
    to.status.put(status(facts.as_ref()))?;
    let Some(facts) = facts.filter(|facts| facts.is_valid) else { return Ok(()) };
    to.number.put_if_wanted(facts.number);
    to.graph.put_if_wanted(facts.graph);
    to.count.put_if_wanted(facts.last.len());
    let (last, edges) = kept::last(facts.last)?;
    to.last.put_if_wanted(last);
    to.edges.put_if_wanted(edges);
    Ok(())
}

/// `cuStreamEndCapture`: there is no graph where it fails. A program that captures into its own
/// graph need not ask for it.
fn ended(stream: Handle, default: DefaultStream, graph: Out<Handle>) -> Answer<()> {
    graph.put_if_wanted(0);
    graph.put_if_wanted(with(|call| call.end_capture(stream, default))?);
    Ok(())
}

pub(super) fn update(
    stream: Handle,
    default: DefaultStream,
    nodes: In<Handle>,
    count: usize,
    flags: u32,
) -> Answer<()> {
    let nodes = handles(nodes, count)?;
    match flags {
        0 | 1 => with(|call| call.update_capture(stream, default, &nodes, flags == 0)),
        2.. => Err(CudaError::InvalidValue),
    }
}

both! {
    // The first form, without a mode.
    [cuStreamBeginCapture] (stream: Handle) {
        with(|call| call.begin_capture(stream, DefaultStream::Legacy, CaptureMode::Global, None))
    }
    [cuStreamGetCaptureInfo_ptsz] (stream: Handle, status: Out<u32>, number: Out<u64>) {
        facts(stream, DefaultStream::PerThread, &Asked { status, number, ..Asked::NONE })
    }
    [cuStreamUpdateCaptureDependencies_ptsz] (stream: Handle, nodes: In<Handle>, count: usize, flags: u32) {
        update(stream, DefaultStream::PerThread, nodes, count, flags)
    }
    [cuStreamGetCaptureInfo ; cudaStreamGetCaptureInfo "@@libcudart.so.12" facts_12] (
        stream: Handle, status: Out<u32>, number: Out<u64>
    ) {
        facts(stream, DefaultStream::Legacy, &Asked { status, number, ..Asked::NONE })
    }
    [cuStreamUpdateCaptureDependencies ; cudaStreamUpdateCaptureDependencies "@@libcudart.so.12" update_12] (
        stream: Handle, nodes: In<Handle>, count: usize, flags: u32
    ) {
        update(stream, DefaultStream::Legacy, nodes, count, flags)
    }
    [cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode] (to: Out<u32>) {
        let wanted = mode(to.get()?)?;
        to.put(with(|call| Ok(call.exchange_capture_mode(wanted)))? as u32)
    }
}

both_streamed! {
    cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz,
    cudaStreamBeginCapture / cudaStreamBeginCapture_ptsz |default| (stream: Handle, wanted: u32) {
        let mode = mode(wanted)?;
        with(|call| call.begin_capture(stream, default, mode, None))
    }
    cuStreamBeginCaptureToGraph / cuStreamBeginCaptureToGraph_ptsz,
    cudaStreamBeginCaptureToGraph / cudaStreamBeginCaptureToGraph_ptsz |default| (
        stream: Handle, graph: Handle, behind: In<Handle>, edges: In<EdgeData>, count: usize, wanted: u32
    ) {
        let mode = mode(wanted)?;
        whole(edges, count)?;
        let behind = handles(behind, count)?;
        with(|call| call.begin_capture(stream, default, mode, Some((graph, behind))))
    }
    cuStreamEndCapture / cuStreamEndCapture_ptsz, cudaStreamEndCapture / cudaStreamEndCapture_ptsz |default| (
        stream: Handle, graph: Out<Handle>
    ) {
        ended(stream, default, graph)
    }
    cuStreamIsCapturing / cuStreamIsCapturing_ptsz, cudaStreamIsCapturing / cudaStreamIsCapturing_ptsz |default| (
        stream: Handle, to: Out<u32>
    ) {
        to.put(status(with(|call| call.capture_facts(stream, default))?.as_ref()))
    }
    cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz,
    cudaStreamGetCaptureInfo_v2 / cudaStreamGetCaptureInfo_v2_ptsz |default| (
        stream: Handle, status: Out<u32>, number: Out<u64>, graph: Out<Handle>, last: Out<*const Handle>, count: Out<usize>
    ) {
        facts(stream, default, &Asked { status, number, graph, last, edges: Out::NONE, count })
    }
    cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz,
    cudaStreamGetCaptureInfo_v3 / cudaStreamGetCaptureInfo_v3_ptsz |default| (
        stream: Handle, status: Out<u32>, number: Out<u64>, graph: Out<Handle>, last: Out<*const Handle>,
        edges: Out<*const EdgeData>, count: Out<usize>
    ) {
        facts(stream, default, &Asked { status, number, graph, last, edges, count })
    }
    cuStreamUpdateCaptureDependencies_v2 / cuStreamUpdateCaptureDependencies_v2_ptsz,
    cudaStreamUpdateCaptureDependencies_v2 / cudaStreamUpdateCaptureDependencies_v2_ptsz |default| (
        stream: Handle, nodes: In<Handle>, edges: In<EdgeData>, count: usize, flags: u32
    ) {
        whole(edges, count)?;
        update(stream, default, nodes, count, flags)
    }
}
