import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { BareAnswers } from './bare-server.ts';

/** A bare server in a child process. */
export interface Bare {
  readonly pid: number;
  readonly address: string;
  stop(): void;
}

/** Starts a bare server with its answers; rejects when it ends before it listens. */
export async function startBare(answers: BareAnswers): Promise<Bare> {
  const child = fork(join(import.meta.dirname, 'bare-process.ts'));
  const address = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: string) => resolve(message));
    child.once('exit', (code) => reject(new Error(`the bare server ended with ${code}`)));
    child.send(answers);
  });
  return { pid: child.pid ?? 0, address, stop: () => void child.kill() };
}
