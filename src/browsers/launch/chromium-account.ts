import { randomUUID } from 'node:crypto';
import type { HostLog } from '../host-log.ts';
import { readSandbox, type SandboxReport } from '../isolation/sandbox-report.ts';
import { CdpMux } from '../pipe/cdp-mux.ts';
import { within } from '../within.ts';
import { browserFolder, createBrowserFolder, removeBrowserFolder } from './browser-folder.ts';
import { chromiumFlags } from './chromium-flags.ts';
import type { ChromiumBinary } from './bundled-chromium.ts';
import { closeChromium, spawnChromium } from './spawn-chromium.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Whom a browser runs as. */
export interface ChromiumAccount {
  /** User and group, both the same number, or null for our own user. */
  readonly uid: number | null;
  /** Whether Chromium's own sandbox is on. */
  readonly sandbox: boolean;
}

/**
 * The user id of browsers when the service runs as root. systemd reserves 60578-61183 for no user, so the id collides
 * with no account, and no account must exist for it.
 */
const BROWSER_UID = 60_700;

/** The users worth trying, the safest first. */
function chromiumAccountCandidates(weAreRoot: boolean): ChromiumAccount[] {
  if (!weAreRoot) {
    return [
      { uid: null, sandbox: true },
      { uid: null, sandbox: false },
    ];
  }
  return [
    { uid: BROWSER_UID, sandbox: true },
    { uid: BROWSER_UID, sandbox: false },
    // A container with a single mapped user offers no other user; Chromium's sandbox refuses root.
    { uid: null, sandbox: false },
  ];
}

/** What a probe needs. */
export interface ChooseOptions {
  readonly binary: ChromiumBinary;
  /** The host's folder; a probe uses a folder of its own in it and removes it. */
  readonly directory: string;
  readonly sharedMemoryOnDisk: boolean;
  readonly log: HostLog;
}

/** Whom browsers run as, and what holds their pages then. */
export interface ChosenAccount {
  readonly user: ChromiumAccount;
  readonly held: SandboxReport;
}

/** A renderer that has not come up after this long on an idle machine never will; busy machines need some seconds. */
const PROBE_TIMEOUT_MS = 20_000;

/**
 * Finds out, by really starting Chromium, which user it can run as and whether its sandbox works here: only a start
 * tells, since kernels, containers and security modules each forbid user namespaces in their own way.
 * Logs a warning for everything weaker than the best, and rejects with all attempts when none works.
 */
export async function chooseChromiumAccount(options: ChooseOptions): Promise<ChosenAccount> {
  const failures: string[] = [];
  for (const user of chromiumAccountCandidates(process.getuid?.() === 0)) {
    const found = await probe(options, user);
    if (typeof found !== 'string') {
      if (failures.length > 0) options.log.warn({ user, failures }, 'browsers run with weaker isolation than intended');
      return { user, held: found };
    }
    failures.push(`${describe(user)}: ${found}`);
  }
  throw new Error(`Chromium at ${options.binary.path} does not start. Tried ${failures.join(' | ')}`);
}

/** What holds the page that came up, else what went wrong. */
async function probe(
  { binary, directory, sharedMemoryOnDisk }: ChooseOptions,
  user: ChromiumAccount,
): Promise<SandboxReport | string> {
  const folder = browserFolder(directory, `probe-${randomUUID()}`);
  const screen = { width: 320, height: 320 };
  // Port 9 is the discard service: the probe opens no URL, so a closed port does not matter.
  const flags = chromiumFlags({
    profile: folder.profile,
    screen,
    proxyPort: 9,
    sandbox: user.sandbox,
    sharedMemoryOnDisk,
  });
  await createBrowserFolder(folder, user.uid);
  try {
    const chromium = await spawnChromium({ binary, folder, flags, uid: user.uid });
    const mux = new CdpMux(chromium.pipe);
    try {
      await within(PROBE_TIMEOUT_MS, evaluateInPage(mux), 'The probe page did not answer.');
      return await readSandbox(chromium.pid);
    } catch (error) {
      return `${String(error)} ${chromium.errorOutput()}`.trim();
    } finally {
      await closeChromium(chromium, mux);
    }
  } catch (error) {
    // The system refused to start the process at all, for example because we may not become that user.
    return String(error);
  } finally {
    await removeBrowserFolder(folder);
  }
}

/** Only an answer from inside a page shows that a renderer started: the sandbox holds renderers, not the main process. */
async function evaluateInPage(mux: CdpMux): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { targetId } = await mux.command('Target.createTarget', { url: 'about:blank' });
  const client = await mux.attach({
    message: (message) => {
      const sessionId = message.params?.['sessionId'];
      if (message.method === 'Target.attachedToTarget' && typeof sessionId === 'string') {
        client.send({ id: 2, sessionId, method: 'Runtime.evaluate', params: { expression: '6 * 7' } });
      }
      if (message.id === 2) resolve();
    },
    closed: (reason) => reject(new Error(reason)),
  });
  client.send({ id: 1, method: 'Target.attachToTarget', params: { targetId: targetId ?? null, flatten: true } });
  await promise;
}

function describe(user: ChromiumAccount): string {
  return `${user.uid === null ? 'our own user' : `user ${user.uid}`} ${user.sandbox ? 'with' : 'without'} sandbox`;
}

/** What a machine makes of a Chromium: the same for every browser, until one of the two changes. */
export interface ProbedChromium extends ChosenAccount {
  /** What it answers to `--version`. */
  readonly version: string;
}

/** Finds it out by starting Chromium twice; rejects when it does not start. */
export async function probeChromium(options: ChooseOptions): Promise<ProbedChromium> {
  const chosen = await chooseChromiumAccount(options);
  return { ...chosen, version: await readVersion(options.binary) };
}

/** It reads no profile and opens no window: some 60 ms on an idle machine. */
const TIMEOUT_MS = 10_000;

/** What a Chromium answers to `--version`, for example `Chromium 153.0.8010.0`. Rejects when it cannot be started. */
async function readVersion({ path, environment }: ChromiumBinary): Promise<string> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  const { stdout } = await promisify(execFile)(path, ['--version'], { env, timeout: TIMEOUT_MS });
  return stdout.trim();
}
