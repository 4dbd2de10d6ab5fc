import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';

/**
 * Setup and teardown of a test run. They give the run a temporary folder of its own, and fail the run if a test leaves
 * files in this folder, or processes.
 *
 * Every process of the run inherits the folder in its variable TMPDIR, which identifies a process that is left.
 */

/** Processes that were asked to end may take this number of milliseconds. */
const endingMs = 60_000;

let folder: string;
/**
 * True if only tests with chosen names run. For a file without a chosen test, vitest runs no `afterAll`, so the file
 * may leave files and processes.
 */
let isFiltered: boolean;

/** Creates the folder before the workers of the run start. */
export function setup({ globalConfig }: TestProject): void {
  isFiltered = globalConfig.testNamePattern !== undefined;
  folder = mkdtempSync(join(tmpdir(), 'svc-t-'));
  // Browsers that root starts run as another user, and must get to their folders.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
}

/** Removes the folder; throws an error that lists the files and processes that the tests left. */
export async function teardown(): Promise<void> {
  const deadline = Date.now() + (isFiltered ? 0 : endingMs);
  while (leftovers().length > 0 && Date.now() < deadline) await wait(200);
  const left = leftovers();
  rmSync(folder, { recursive: true, force: true });
  if (left.length === 0 || isFiltered) return;
  throw new Error(`Tests left in ${folder}:\n${left.join('\n')}\nExpected: each test removes what it creates.`);
}

/** Matches caches of Node and of a build tool, and folders of a Chromium that was killed. Tests may leave them. */
const ofOthers = /^(?:jiti|node-compile-cache|\.org\.chromium\.Chromium\..*)$/;

function leftovers(): string[] {
  return [...readdirSync(folder).filter((name) => !ofOthers.test(name)), ...leftProcesses()];
}

/** Returns the command lines of other processes that have the folder as TMPDIR. */
function leftProcesses(): string[] {
  // Only Linux has this folder.
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`TMPDIR=${folder}`))
    .map((pid) => `process ${pid}: ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)}`);
}

/** Error codes of a read in /proc: the process has ended (ENOENT, ESRCH) or belongs to another user (EACCES). */
const unreadable = new Set(['ENOENT', 'ESRCH', 'EACCES']);

/** Returns the text of a file of a process, or '' if the process has ended or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && unreadable.has(String(error.code))) return '';
    throw error;
  }
}
