"""`autolab fake-provider`: a local server that speaks the providers' APIs and rehearses their faults."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from app.providers.fake_server import FakeProvider, Script


def fake_provider_command(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 takes a free one.")] = 8090,
    script: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="JSON file that says which request fails, and how.")
    ] = None,
    latency: Annotated[float, typer.Option(min=0, help="Seconds before every reply.")] = 0.0,
) -> None:
    """Answer every request with a valid text, except where the script says otherwise, until Ctrl-C."""
    rules = _read_script(script) if script else Script()
    try:
        asyncio.run(_serve(FakeProvider(rules, latency), port))
    except KeyboardInterrupt:
        print("Stopped.")
    except OSError as error:
        print(f"Port {port} cannot be used ({error.strerror}). Choose another with --port.")
        raise typer.Exit(1) from error


async def _serve(provider: FakeProvider, port: int) -> None:
    server = await provider.start(port)
    print(f"Fake provider at {provider.base_url} (Chat Completions, Responses) and {provider.root_url} (Messages).")
    print(f"What it saw: {provider.root_url}/_seen?limit=100", flush=True)
    try:
        await server.serve_forever()
    finally:
        await provider.stop(server)


def _read_script(file: Path) -> Script:
    try:
        return Script.model_validate_json(file.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError) as error:
        print(f"{file.name} is not a script of faults: {error}")
        raise typer.Exit(1) from error
