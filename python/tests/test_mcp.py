"""`warpsim mcp`, used by the protocol's own client for Python."""

import asyncio
import shutil
import sysconfig

import pytest

mcp = pytest.importorskip("mcp")
stdio = pytest.importorskip("mcp.client.stdio")

RACY = """
extern "C" __global__ void swap(unsigned *out) {
    __shared__ unsigned cells[64];
    cells[threadIdx.x] = threadIdx.x;
    BARRIER
    out[threadIdx.x] = cells[threadIdx.x ^ 32];
}
"""


def command():
    return shutil.which("warpsim", path=sysconfig.get_path("scripts"))


async def asked():
    server = mcp.StdioServerParameters(command=command(), args=["mcp"])
    async with stdio.stdio_client(server) as (read, write):
        async with mcp.ClientSession(read, write) as session:
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}

            async def check(source):
                launch = {"source": source, "block": "64", "arguments": ["u32[64]"]}
                return await session.call_tool("check_kernel", launch)
            racy = await check(RACY.replace("BARRIER", ""))
            clean = await check(RACY.replace("BARRIER", "__syncthreads();"))
            wrong = await check("__global__ void k( {")
            return tools, racy, clean, wrong


def structured(answer):
    """Under the name of this version of the client."""
    document = getattr(answer, "structured_content", None)
    return document if document is not None else answer.structuredContent


def test_a_client_checks_kernels_of_cuda():
    if command() is None:
        pytest.skip("no command beside this Python")
    tools, racy, clean, wrong = asyncio.run(asyncio.wait_for(asked(), 120))
    assert tools == {"check_kernel", "run_kernel", "explain_finding"}
    racy = structured(racy)
    if racy["verdict"] == "no compiler":
        pytest.skip("no compiler for CUDA")
    assert racy["verdict"] == "findings", racy
    assert {finding["code"] for finding in racy["document"]["findings"]} == {"race"}
    assert "kernel.cu:6" in racy["text"]
    assert structured(clean)["verdict"] == "clean", structured(clean)
    assert structured(wrong)["verdict"] == "refused", structured(wrong)
