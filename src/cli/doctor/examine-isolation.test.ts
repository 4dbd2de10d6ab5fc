import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { examineIsolation } from './examine-isolation.ts';

const ours = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-doctor-'));

it('says in one line what really holds a page, and leaves nothing behind', async () => {
  const before = ours();
  const found = await examineIsolation();
  const words =
    /^user \d+ .+; (?:sandbox of namespaces \(.+\)|sandbox of filtered system calls only|NO sandbox: .+); system calls (?:NOT )?filtered; /;
  expect(found).toEqual({ ok: true, subject: 'isolation', text: expect.stringMatching(words) });
  expect(found.text).toContain('every request through the egress proxy');
  expect(ours().filter((name) => !before.includes(name))).toEqual([]);
});
