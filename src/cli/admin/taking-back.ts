import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type EndSignal, endSignals } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';

/** What is of a process here: its signals and its end. */
export interface Interruptible {
  on(signal: EndSignal, listener: () => void): unknown;
  off(signal: EndSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/**
 * Does work that fills a folder; Ctrl-C, or a terminal that is closed, takes back what it has written until then and ends the process. A folder that held something before
 * is left alone: the work refuses it.
 */
export async function takingBack<Result>(
  folder: string,
  work: () => Promise<Result>,
  host: Interruptible = process,
): Promise<Result> {
  const existed = existsSync(folder);
  const wasEmpty = !existed || (statSync(folder).isDirectory() && readdirSync(folder).length === 0);
  const takeBack = (): void => {
    if (wasEmpty) empty(folder, existed);
    host.exit(exitCodes.interrupted);
  };
  for (const signal of endSignals) host.on(signal, takeBack);
  try {
    return await work();
  } finally {
    for (const signal of endSignals) host.off(signal, takeBack);
  }
}

function empty(folder: string, keep: boolean): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  if (!keep) rmSync(folder, { recursive: true, force: true });
}
