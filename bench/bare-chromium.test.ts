import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { startBareChromium } from './bare-chromium.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-bare-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

it('ends a Chromium that does not answer its first command, and removes its folder', async () => {
  const program = join(directory, 'program');
  const pidFile = join(directory, 'pid');
  // Closes its debugging pipe, so that the first command fails while the process runs.
  writeFileSync(program, `#!/bin/sh\necho $$ > ${pidFile}\nexec 3<&- 4>&-\nexec sleep 600\n`, { mode: 0o755 });
  vi.stubEnv('CHROMIUM_PATH', program);
  const started = startBareChromium({ directory, name: 'mute', account: { uid: null, sandbox: false } });
  await expect(started).rejects.toThrow(/pipe/);
  expect(existsSync(join(directory, 'mute'))).toBe(false);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
