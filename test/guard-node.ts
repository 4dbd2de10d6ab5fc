/** Ends the run with a clear message on an old Node, where vitest would fail in misleading ways. */
// oxlint-disable-next-line import/no-unassigned-import -- it does its work when it is loaded
import '../src/cli/require-node.mjs';

/** Does nothing; vitest requires this function in a global setup. */
export function setup(): void {}
