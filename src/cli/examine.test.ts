import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { examineIntegrations, examineModes, examineProviders, examineSecrets } from './examine-machine.ts';

describe('the secrets of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-doctor-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('may be missing before the first start', async () => {
    expect(await examineSecrets(join(folder, 'none'))).toMatchObject({ ok: true, text: 'created at the first start' });
  });

  it.each([
    { mode: 0o600, ok: true },
    { mode: 0o400, ok: true },
    { mode: 0o640, ok: false },
    { mode: 0o604, ok: false },
  ])('with mode $mode are accepted: $ok', async ({ mode, ok }) => {
    for (const name of ['signing-secret', 'sealing-secret']) writeFileSync(join(folder, name), 'x', { mode: 0o600 });
    const file = join(folder, 'sealing-secret');
    chmodSync(file, mode);
    const found = await examineSecrets(folder);
    expect(found.ok).toBe(ok);
    expect(found.text).toBe(
      ok ? 'only their owner can read them' : `other users can access ${file}: run chmod 600 ${file}`,
    );
  });
});

describe('the modes of a data folder', () => {
  it('are accepted for a missing folder, and reported when other users have access', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(await examineModes(join(folder, 'none'))).toMatchObject({ ok: true });
    writeFileSync(join(folder, 'svc.sqlite'), '', { mode: 0o600 });
    expect(await examineModes(folder)).toMatchObject({ ok: true });
    chmodSync(join(folder, 'svc.sqlite'), 0o640);
    const found = await examineModes(folder);
    expect(found).toMatchObject({ ok: false, text: expect.stringContaining(join(folder, 'svc.sqlite')) });
    expect(found.text).toContain(`chmod -R go= ${folder}`);
  });
});

describe('the model providers of an environment', () => {
  it.each([
    { given: {}, ok: true, says: /the offline planner works/ },
    { given: { OPENAI_API_KEY: 'a-key', ANTHROPIC_API_KEY: '' }, ok: true, says: /^keys for openai$/ },
    { given: { OPENAI_API_KEY: 'a key' }, ok: false, says: /OPENAI_API_KEY/ },
  ])('are listed without their keys: $given', ({ given, ok, says }) => {
    const found = examineProviders(given);
    expect(found).toMatchObject({ ok, text: expect.stringMatching(says) });
    expect(found.text).not.toMatch(/a.key/);
  });
});

describe('a file of integrations', () => {
  const row = '  - { name: notes, description: Notes, projects: all, command: server }';

  it.each([
    { what: 'a usable one', given: `integrations:\n${row}\n`, ok: true, says: /^notes: the console tests each$/ },
    { what: 'an empty one', given: 'integrations: []\n', ok: true, says: /^none in the file$/ },
    {
      what: 'a wrong one',
      given: `integrations:\n${row}\n${row}\n`,
      ok: false,
      says: /line 3, column 7: .*earlier row/,
    },
  ])('is examined without starting a server: $what', async ({ given, ok, says }) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'integrations.yaml'), given);
    const found = await examineIntegrations(join(folder, 'integrations.yaml'));
    expect(found).toMatchObject({ ok, subject: 'integrations', text: expect.stringMatching(says) });
  });
});
