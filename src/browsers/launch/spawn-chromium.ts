import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { type CdpPipe, createCdpPipe } from '../pipe/cdp-pipe.ts';
import { within } from '../within.ts';
import type { BrowserFolder } from './browser-folder.ts';
import { type Place, placeEnvironment } from './exit-location.ts';
import type { ChromiumBinary } from './bundled-chromium.ts';
import { killGroup } from '../isolation/process-table.ts';

/** What to start. */
export interface SpawnOptions {
  readonly binary: ChromiumBinary;
  readonly folder: BrowserFolder;
  readonly flags: readonly string[];
  /** User and group to become, or null for our own. */
  readonly uid: number | null;
  /** Where it stands. @defaultValue where this machine stands */
  readonly place?: Place | null;
}

/** A started Chromium: one process group. */
export interface ChromiumProcess {
  readonly pid: number;
  readonly pipe: CdpPipe;
  /** Settles with a sentence once every process of the browser has ended; never rejects. */
  readonly gone: Promise<string>;
  /** The last lines that it wrote to its error stream, at most 4,000 characters. */
  errorOutput(): string;
  /** Kills the whole group; the first reason that is given is what `gone` settles with. */
  kill(reason?: string): void;
  /** The reason that was given to `kill`, or null. */
  killedFor(): string | null;
}

const ERROR_OUTPUT_MAX = 4_000;

/** Starts Chromium with its debugging pipe on file descriptors 3 and 4; rejects when the system cannot start it. */
export async function spawnChromium(options: SpawnOptions): Promise<ChromiumProcess> {
  const child = spawn(options.binary.path, options.flags, {
    cwd: options.folder.home,
    env: childEnvironment(options),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // A group of its own: one signal ends the browser with all its children, and ctrl-C in a terminal does not reach it.
    detached: true,
    ...(options.uid === null ? {} : { uid: options.uid, gid: options.uid }),
  });
  const pid = await started(child);
  const [toBrowser, fromBrowser] = [child.stdio[3], child.stdio[4]];
  if (!(toBrowser instanceof Writable && fromBrowser instanceof Readable))
    throw new TypeError('Node opened no debugging pipe.');
  let killedFor: string | null = null;
  return {
    pid,
    pipe: createCdpPipe(toBrowser, fromBrowser),
    gone: wholeGroupGone(child, pid).then((ended) => killedFor ?? ended),
    errorOutput: keepErrorOutput(child),
    kill(reason) {
      killedFor ??= reason ?? null;
      killGroup(pid);
    },
    killedFor: () => killedFor,
  };
}

async function started(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('spawn', resolve);
  child.once('error', reject);
  await promise;
  // After a successful start Node reports here that a signal could not be sent; we send signals ourselves.
  child.off('error', reject);
  if (child.pid === undefined) throw new TypeError('Node gave the started process no number.');
  return child.pid;
}

/**
 * `exit` tells that the main process has ended; its children may live a moment longer and still write files. They
 * inherited the error stream, so Node's `close` comes when the last of them has gone.
 */
function wholeGroupGone(child: ChildProcess, pid: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('exit', () => killGroup(pid));
  child.once('close', (code, signal) => {
    resolve(signal === null ? `Chromium ended with exit code ${code}.` : `Chromium was ended by ${signal}.`);
  });
  return promise;
}

function keepErrorOutput(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-ERROR_OUTPUT_MAX);
  });
  return () => kept.trim();
}

/** The only variable of ours that a browser may see; the others hold keys and passwords. */
const PASSED_ON = ['TZ'] as const;

/** Workers without a page take their language from here: it is that of the pages, not the one of the machine's operator. */
const LANGUAGE = 'en_US.UTF-8';

/** What the environment of one browser depends on. */
interface ChildDeps {
  readonly binary: ChromiumBinary;
  readonly folder: BrowserFolder;
  /** Where it stands. @defaultValue where this machine stands */
  readonly place?: Place | null;
}

/** The whole environment of one browser's processes. */
function childEnvironment({ binary, folder, place = null }: ChildDeps): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(passedOn),
    ...(place === null ? { LANG: LANGUAGE } : placeEnvironment(place)),
    HOME: folder.home,
    TMPDIR: folder.temporary,
    ...binary.environment,
  };
}

/** Chromium writes its profile within 0.2 s after `Browser.close`; what takes longer than this hangs. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Ends a browser and waits until all its processes have gone. It is asked first, because only then it writes its
 * profile and waits for its children; a browser that does not close within 5 s is killed.
 */
export async function closeChromium(chromium: ChromiumProcess, mux: CdpMux): Promise<void> {
  // The reply only says that closing has begun, and fails when the browser has ended already: the end is what counts.
  mux.command('Browser.close').catch(() => undefined);
  try {
    await within(CLOSE_TIMEOUT_MS, chromium.gone, 'The browser did not close.');
  } catch {
    // Only the time limit can reject here, since the end of a process is never an error.
    chromium.kill();
    await chromium.gone;
  }
}
