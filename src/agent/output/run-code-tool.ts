import { requiredText } from '../loop/input.ts';
import { parameters } from '../loop/parameters.ts';
import type { Tool } from '../loop/tool.ts';
import { TabError } from '#browsers/tab/tab.ts';
import { PROGRAM_DIALECT } from './program/program-dialect.ts';
import { runProgram } from './program/run-program.ts';

/** Lets a model work through many pages or numbers at once, in the sandbox and with its own, guarded tab and files. */
export const RUN_CODE_TOOL: Tool = {
  name: 'run_code',
  description: `Runs a JavaScript program over the page and the files, for what would take many calls or needs exact arithmetic. ${PROGRAM_DIALECT}`,
  parameters: parameters({ source: { type: 'string' } }),
  isStep: true,
  summary: () => 'Ran a program',
  async run(input, { world }) {
    const result = await runProgram(requiredText(input, 'source'), world);
    if (!result.ok) throw new TabError(result.reason);
    return { text: 'The program printed:', data: JSON.stringify(result.output) };
  },
};
