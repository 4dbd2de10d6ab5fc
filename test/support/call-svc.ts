import { CommanderError } from 'commander';
import { vi } from 'vitest';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { createProgram } from '../../src/cli/program.ts';

/** What a command line came to. */
export interface Ended {
  /** The exit code that `svc` would end with. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Calls `svc` in this process, for what is not about the process: one of its own takes most of a second of a processor to load. Rejects for
 * what main.ts would not take for wrong usage.
 */
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
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exited(Number(code));
    }),
  ];
  try {
    const code = await codeOf(words);
    return { code, ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}

/** `process.exit` was called. */
class Exited extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

async function codeOf(words: readonly string[]): Promise<number> {
  try {
    await (await createProgram(words)).parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof Exited) return error.code;
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  return Number(process.exitCode ?? exitCodes.ok);
}
