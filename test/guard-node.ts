/** vitest half-works on an old Node: this import ends the run with a clear message before anything misleading is printed. */
// oxlint-disable-next-line import/no-unassigned-import -- it does its work when it is loaded
import '../src/cli/require-node.mjs';

/** Nothing else to set up; vitest asks for the function. */
export function setup(): void {}
