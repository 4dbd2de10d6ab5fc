import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parts, systemPart } from './system-part.ts';

/** Maximum exposure as systemd computes it, in tenths. A unit without hardening has 100. */
const exposureMax = 25;

const unit = readFileSync('deploy/svc.service', 'utf8');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-unit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs systemd-analyze on a unit; returns its exit code and output. */
function analyze(text: string, ...words: string[]): { status: number | null; said: string } {
  const file = join(folder, 'svc.service');
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(systemPart(parts.systemdAnalyze), [...words, file], {
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

it('systemd takes the unit without a word, and says what it does not know', () => {
  expect(analyze(unit, 'verify')).toEqual({ status: 0, said: '' });
  expect(analyze(unit.replace('UMask=', 'UMusk='), 'verify').said).toContain("'UMusk'");
  expect(analyze(unit.replace('/usr/bin/env', '/nowhere'), 'verify').status).not.toBe(0);
});

it('the unit leaves little open', () => {
  const words = ['security', '--offline=true', `--threshold=${exposureMax}`];
  expect(analyze(unit, ...words).status).toBe(0);
  expect(analyze(unit.replaceAll(/^(?:Protect|Private|Restrict)\w+=.*$/gm, ''), ...words).status).not.toBe(0);
});
