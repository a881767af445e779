"""Chains of model calls in Inspect AI with its mock model; run by bench/rivals.py in an environment of its own.

Arguments: chains, calls a chain, seconds a call, a folder for logs, and ``run`` or ``retry``. Every call appends one
byte to ``calls`` in the folder, so that calls before and after a kill can be counted from outside.
"""

import asyncio
import sys
import time
from pathlib import Path

from inspect_ai import Task, eval_retry, task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

CHAINS, CALLS, LATENCY, FOLDER = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4])


def answer(*_: object) -> ModelOutput:
    """One answer with its usage, so that nothing needs to be counted."""
    output = ModelOutput.from_content("mockllm", "an answer of the mock model")
    output.usage = ModelUsage(input_tokens=1_000, output_tokens=200, total_tokens=1_200)
    return output


MODEL = get_model("mockllm/model", custom_outputs=answer)


@solver
def chain() -> Solver:
    """Call the model again and again, each time after the last answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for _ in range(CALLS):
            await asyncio.sleep(LATENCY)
            await MODEL.generate(state.messages[:1])
            with (FOLDER / "calls").open("ab") as counted:
                counted.write(b".")
        return state

    return solve


@task
def chains() -> Task:
    """One sample a chain."""
    return Task(dataset=[Sample(input=f"chain {number}") for number in range(CHAINS)], solver=chain())


if __name__ == "__main__":
    options = {"log_dir": str(FOLDER), "display": "none", "max_samples": CHAINS, "max_connections": CHAINS}
    began = time.perf_counter()
    if sys.argv[5] == "retry":
        eval_retry(list_eval_logs(str(FOLDER))[0].name, **options)
    else:
        evaluate(chains(), model=MODEL, **options)
    print(f"{time.perf_counter() - began:.3f}")
