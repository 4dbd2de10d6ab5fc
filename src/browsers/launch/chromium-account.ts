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

/** User account and sandbox of a browser. */
export interface ChromiumAccount {
  /** Id of the user and of the group that run the browser; null for those of the service. */
  readonly uid: number | null;
  /** Whether Chromium's own sandbox is enabled. */
  readonly sandbox: boolean;
}

/**
 * Id of the user that runs browsers when the service runs as root. systemd assigns no id in 60578-61183, so normally no
 * account has this id. A process can run with a user id that belongs to no account.
 */
const browserUid = 60_700;

/** Returns the accounts to try, the safest first. */
function chromiumAccountCandidates(weAreRoot: boolean): ChromiumAccount[] {
  if (!weAreRoot) {
    return [
      { uid: null, sandbox: true },
      { uid: null, sandbox: false },
    ];
  }
  return [
    { uid: browserUid, sandbox: true },
    { uid: browserUid, sandbox: false },
    // A container with a single mapped user has no other user, and Chromium's sandbox does not run as root.
    { uid: null, sandbox: false },
  ];
}

/** Options of the probe that chooses the user account of browsers. */
export interface ChooseOptions {
  readonly binary: ChromiumBinary;
  /** Folder of the host. Each probe creates a browser folder in it and removes this browser folder at the end. */
  readonly directory: string;
  readonly sharedMemoryOnDisk: boolean;
  readonly log: HostLog;
}

/** User account and sandbox of browsers, and the isolation of pages that was measured with them. */
export interface ChosenAccount {
  readonly user: ChromiumAccount;
  readonly held: SandboxReport;
}

/** Timeout of a probe. A renderer needs some seconds on a loaded machine. */
const probeTimeoutMs = 20_000;

/**
 * Starts Chromium with one account after the other, the safest first, until a page works. Only a start shows whether an
 * account works, because kernels, containers and security modules restrict user namespaces in different ways. Logs a
 * warning when the safest account does not work. Rejects with the errors of all attempts when no account works.
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

/**
 * Starts Chromium with an account, opens a page and ends Chromium. Returns the isolation of the page, or the error as a
 * text.
 */
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
      await within(probeTimeoutMs, evaluateInPage(mux), 'The probe page did not answer.');
      return await readSandbox(chromium.pid);
    } catch (error) {
      return `${String(error)} ${chromium.errorOutput()}`.trim();
    } finally {
      await closeChromium(chromium, mux);
    }
  } catch (error) {
    // The system refused to start the process, for example because the service may not change to that user.
    return String(error);
  } finally {
    await removeBrowserFolder(folder);
  }
}

/**
 * Opens a page and evaluates an expression in it. Only the result proves that a sandboxed renderer process started; the
 * main process is not sandboxed.
 */
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

/** Results of probing a Chromium. They stay valid until the Chromium or the machine changes. */
export interface ProbedChromium extends ChosenAccount {
  /** Output of `--version`. */
  readonly version: string;
}

/**
 * Probes a Chromium: starts it with each account until an account works, and reads its version. Rejects when no account
 * works or the version cannot be read.
 */
export async function probeChromium(options: ChooseOptions): Promise<ProbedChromium> {
  const chosen = await chooseChromiumAccount(options);
  return { ...chosen, version: await readVersion(options.binary) };
}

/** Timeout of `--version`, which takes about 60 ms on an idle machine. */
const timeoutMs = 10_000;

/**
 * Returns the output of `--version`, for example `Chromium 153.0.8010.0`. Rejects when Chromium cannot be started or
 * takes longer than 10 s.
 */
async function readVersion({ path, environment }: ChromiumBinary): Promise<string> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  const { stdout } = await promisify(execFile)(path, ['--version'], { env, timeout: timeoutMs });
  return stdout.trim();
}
