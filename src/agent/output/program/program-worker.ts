import type { FromProgram, ProgramStart, ToProgram } from './program-calls.ts';
import { createSandbox } from './sandbox.ts';

// Entry point of a child process that `runProgram` starts for one program and kills at its end.
process.once('message', (start: ProgramStart) => void run(start));
// The parent process has ended.
process.once('disconnect', () => process.exit());

async function run({ source, bounds }: ProgramStart): Promise<void> {
  const tell = (message: FromProgram): void => void process.send?.(message);
  const sandbox = await createSandbox({ bounds, tell });
  process.on('message', (answer: ToProgram) => sandbox.answer(answer));
  sandbox.run(source);
}
