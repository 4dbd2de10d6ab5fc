import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '../src/lib/json.ts';

/** A program of ours and what it is given. */
export interface Program {
  readonly args: readonly string[];
  /** On top of our own environment. @defaultValue nothing */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it is to write what it has used; see `tell-usage.ts`. @defaultValue it does not */
  readonly usageFile?: string;
  /** Exit codes that are no failure. @defaultValue 0 */
  readonly codes?: readonly number[];
}

/** What came of it. */
export interface Ran {
  readonly printed: string;
  /** From its start to its end. */
  readonly seconds: number;
  /** Seconds of processor time that it has used; not a number where it was not asked. */
  readonly processorSeconds: number;
}

/** Runs a program of ours to its end; rejects when it fails. */
export async function runProgram({ args, env = {}, usageFile, codes = [0] }: Program): Promise<Ran> {
  const begun = performance.now();
  const told = usageFile === undefined ? {} : { NODE_OPTIONS: '--import=./bench/tell-usage.ts', SVC_USAGE: usageFile };
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...told, ...env },
  });
  const [printed, code] = await Promise.all([
    text(child.stdout),
    once(child, 'exit').then(([status]) => Number(status)),
  ]);
  const seconds = (performance.now() - begun) / 1000;
  if (!codes.includes(code)) throw new Error(`${args.slice(0, 3).join(' ')} ended with exit code ${code}`);
  return { printed, seconds, processorSeconds: usageFile === undefined ? Number.NaN : usedIn(usageFile) };
}

function usedIn(file: string): number {
  const usage: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isJsonObject(usage) ? Number(usage['seconds']) : Number.NaN;
}
