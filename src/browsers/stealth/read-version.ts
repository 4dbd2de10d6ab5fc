import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ChromiumBinary } from '../chromium-binary.ts';

/** It reads no profile and opens no window: some 60 ms on an idle machine. */
const TIMEOUT_MS = 10_000;

/** What a Chromium answers to `--version`, for example `Chromium 153.0.8010.0`. Rejects when it cannot be started. */
export async function readVersion({ path, environment }: ChromiumBinary): Promise<string> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  const { stdout } = await promisify(execFile)(path, ['--version'], { env, timeout: TIMEOUT_MS });
  return stdout.trim();
}
