import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { type CdpPipe, createCdpPipe } from '../pipe/cdp-pipe.ts';
import { within } from '../within.ts';
import type { BrowserFolder } from './browser-folder.ts';
import { type Place, placeEnvironment } from './exit-location.ts';
import type { ChromiumBinary } from './bundled-chromium.ts';
import { killGroup } from '../isolation/process-table.ts';

/** Options for starting a Chromium process. */
export interface SpawnOptions {
  readonly binary: ChromiumBinary;
  readonly folder: BrowserFolder;
  readonly flags: readonly string[];
  /** User and group id of the process, or null for the service's own. */
  readonly uid: number | null;
  /**
   * Location whose time zone and locale the process gets. With null it gets the time zone of the service and the
   * locale `en_US.UTF-8`.
   * @defaultValue null
   */
  readonly place?: Place | null;
}

/** A started Chromium, one process group. */
export interface ChromiumProcess {
  readonly pid: number;
  readonly pipe: CdpPipe;
  /**
   * Resolves when all processes of the browser have ended: with the first reason passed to `kill`, or else with the
   * exit code or signal. Never rejects.
   */
  readonly gone: Promise<string>;
  /** Returns the last 4,000 characters of Chromium's standard error output. */
  errorOutput(): string;
  /** Kills all processes of the browser. The first given reason is the result of `gone`. */
  kill(reason?: string): void;
  /** Returns the first reason passed to `kill`, or null. */
  killedFor(): string | null;
}

const errorOutputMax = 4_000;

/** Starts Chromium with its debugging pipe on file descriptors 3 and 4; rejects when the system cannot start it. */
export async function spawnChromium(options: SpawnOptions): Promise<ChromiumProcess> {
  const child = spawn(options.binary.path, options.flags, {
    cwd: options.folder.home,
    env: childEnvironment(options),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // Starts a new process group: one signal ends all processes of the browser, and Ctrl-C in a terminal does not reach
    // them.
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
  // After a start, Node emits `error` only for failed signals of `child.kill`, which the service does not use.
  child.off('error', reject);
  if (child.pid === undefined) throw new TypeError('Node gave the started process no number.');
  return child.pid;
}

/**
 * Waits for the end of all processes of a browser. When the main process ends, kills the remaining processes. The
 * `exit` event reports only the main process, and child processes may still write files. Child processes inherit the
 * error output of the main process, so the `close` event follows the end of the last process.
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
    kept = (kept + text).slice(-errorOutputMax);
  });
  return () => kept.trim();
}

/** Environment variables of the service that a browser receives too. Other variables may contain keys and passwords. */
const passedOnNames = ['TZ'] as const;

/**
 * Locale of a browser without a location. With it, workers have the same language as pages; otherwise they have the
 * machine's language.
 */
const language = 'en_US.UTF-8';

/** Dependencies of {@link childEnvironment}. */
interface ChildDeps {
  readonly binary: ChromiumBinary;
  readonly folder: BrowserFolder;
  /**
   * Location whose time zone and locale the process gets. With null it gets the time zone of the service and the
   * locale `en_US.UTF-8`.
   * @defaultValue null
   */
  readonly place?: Place | null;
}

/** Returns all environment variables of a browser's processes. */
function childEnvironment({ binary, folder, place = null }: ChildDeps): Record<string, string> {
  const passedOn = passedOnNames.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(passedOn),
    ...(place === null ? { LANG: language } : placeEnvironment(place)),
    HOME: folder.home,
    TMPDIR: folder.temporary,
    ...binary.environment,
  };
}

/** Timeout of closing a browser. An unloaded Chromium writes its profile within 0.2 s. */
const closeTimeoutMs = 5_000;

/**
 * Closes a browser and waits for the end of all its processes. Sends `Browser.close` first, because only this command
 * makes Chromium write its profile. Kills a browser that does not end within 5 s.
 */
export async function closeChromium(chromium: ChromiumProcess, mux: CdpMux): Promise<void> {
  // The reply only confirms that closing has begun, and fails when the browser has ended; the end of the process
  // counts.
  mux.command('Browser.close').catch(() => undefined);
  try {
    await within(closeTimeoutMs, chromium.gone, 'The browser did not close.');
  } catch {
    // Only the timeout rejects here: the end of a process is never an error.
    chromium.kill();
    await chromium.gone;
  }
}
