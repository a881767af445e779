"""How a run moves: plan, state, steps, prompts, answers, ledger."""
