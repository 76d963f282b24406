"""Look inside: what stands in each slot, what a pass computes, where two runs part, and why."""
