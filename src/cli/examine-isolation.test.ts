import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { examineIsolation } from './examine-machine.ts';

it('reports the isolation of pages in one line, and leaves no files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-isolation-'));
  // Browsers of a service that root starts run as another user, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const found = await examineIsolation();
  const words =
    /^browsers run as user \d+(?: of their own|, the user of the service: start it as root to separate them); (?:sandbox: namespaces \(.+\)|sandbox: filtered system calls only|NO sandbox: .+); system calls (?:NOT )?filtered; /;
  expect(found).toEqual({ ok: true, subject: 'isolation', text: expect.stringMatching(words) });
  expect(found.text).toContain('all requests pass the egress proxy');
  expect(readdirSync(folder)).toEqual([]);
});
