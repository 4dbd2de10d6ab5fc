import { vi } from 'vitest';
import { runProgram } from '../../src/cli/run-program.ts';

/** Result of a command line. */
export interface Ended {
  /** The exit code that `svc` would end with. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `svc` in this process, because a child process takes most of a second of processor time. */
export async function callSvc(...words: string[]): Promise<Ended> {
  const said = { out: '', err: '' };
  const into =
    (where: 'out' | 'err') =>
    (chunk: unknown): true => {
      said[where] += String(chunk);
      return true;
    };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
    vi.spyOn(console, 'log').mockImplementation((text) => void into('out')(`${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text) => void into('err')(`${text}\n`)),
  ];
  try {
    const { code } = await runProgram(words);
    return { code, ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}
