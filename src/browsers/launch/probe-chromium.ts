import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chooseChromiumAccount, type ChooseOptions, type ChosenAccount } from './chromium-account.ts';
import type { ChromiumBinary } from './bundled-chromium.ts';

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
