"""Calls every tool of `warprace mcp` with the protocol's own client.

Usage: mcp_client.py WARPRACE RACY_PROGRAM PTX_FILE
"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def field(value, name, camel):
    """The name of a field differs between major versions of the client."""
    return getattr(value, name) if hasattr(value, name) else getattr(value, camel)


def structured(result):
    assert not field(result, "is_error", "isError"), result
    return field(result, "structured_content", "structuredContent")


async def main(warprace, program, ptx):
    server = StdioServerParameters(command=warprace, args=["mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        started = await session.initialize()
        assert field(started, "server_info", "serverInfo").name == "warprace", started
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == ["run", "explain", "prove", "fix"], tools

        run = await session.call_tool("run", {"command": [program], "explore": 2})
        report = structured(run)
        assert report["verdict"] == "race" and report["races"][0]["replay_string"], report
        assert "race[" in run.content[0].text, run.content
        again = {"command": [program], "replay": report["races"][0]["replay_string"]}
        assert structured(await session.call_tool("run", again))["verdict"] == "race"

        told = structured(await session.call_tool("explain", {"command": [program], "finding": 1}))
        assert "race" in told["explanation"], told

        proved = structured(await session.call_tool("prove", {"file": ptx, "kernel": "kns=transpose"}))
        assert proved["proofs"], proved

        fixed = structured(await session.call_tool("fix", {"command": [program], "all": True}))
        assert fixed["offers"][0]["diff"], fixed

        missing = await session.call_tool("run", {"command": ["/nonexistent"]})
        assert field(missing, "is_error", "isError"), missing
        try:
            await session.call_tool("run", {"comand": [program]})
        except Exception as error:  # The class differs between versions of the client.
            assert "comand" in str(error), error
        else:
            raise AssertionError("an unknown argument was accepted")
    print("all tools of `warprace mcp` answer the protocol's client")


asyncio.run(main(*sys.argv[1:]))
