import { parentPort, workerData } from 'node:worker_threads';
import type { FromProgram, ProgramStart, ToProgram } from './program-message.ts';
import { createSandbox } from './sandbox.ts';

// A thread of its own, started by `runProgram` for one program and ended with it.
const port = parentPort;
if (port !== null) {
  const { source, bounds }: ProgramStart = workerData;
  const tell = (message: FromProgram): void => port.postMessage(message);
  const sandbox = await createSandbox({ bounds, tell });
  port.on('message', (answer: ToProgram) => sandbox.answer(answer));
  sandbox.run(source);
}
