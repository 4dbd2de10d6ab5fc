import { runInNewContext } from 'node:vm';

/** What the work may compute, less what a thread that is never interrupted still waits for now and then. */
const COMPUTED_MS = 800;

/**
 * V8 measures real time, of which a busy machine gives a thread little: an attempt that was ended and has hardly computed is
 * made again with more time. The last of them is the bound whatever was computed.
 */
const REAL_MS = [1_000, 5_000, 25_000] as const;

/** What {@link bounded} answers when the time is up. */
export const timedOut = Symbol('timedOut');

/** Time that this thread has computed, in ms. */
export type ComputingClock = () => number;

/**
 * Runs some work that blocks, for about a second of computing: V8 ends it, even inside of a regular expression. A schema from
 * outside can hold a pattern that takes for ever on the right text. The work may be begun more than once. What it throws is thrown.
 */
export function bounded<Result>(
  work: () => Result,
  computed: ComputingClock = threadComputed,
): Result | typeof timedOut {
  for (const realMs of REAL_MS) {
    const before = computed();
    const result = attempt(work, realMs);
    if (result !== timedOut || computed() - before >= COMPUTED_MS) return result;
  }
  return timedOut;
}

function threadComputed(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function attempt<Result>(work: () => Result, timeout: number): Result | typeof timedOut {
  const results: Result[] = [];
  try {
    runInNewContext('run()', { run: () => void results.push(work()) }, { timeout });
  } catch (error) {
    if (isTimeout(error)) return timedOut;
    throw error;
  }
  const [result] = results;
  if (result === undefined) throw new TypeError('The work ended without a result.');
  return result;
}

/** Whether an error is the end of the time, which a `catch` inside the work has to hand on. */
export function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
