import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LedgerEntry } from '#conformance/index.ts';
import { createLedgerFile } from './ledger-file.ts';

const head = { target: { url: 'http://127.0.0.1:1' }, stamp: 'word' };

function requested(name: string): LedgerEntry {
  return { kind: 'session', generation: 'v3', createdBy: 'createSession', name, state: 'requested' };
}

it('keeps concurrent entries in order, and is removed after the report', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  try {
    const file = join(folder, 'report.json.ledger');
    const ledger = createLedgerFile(file, head);
    const booked = Array.from({ length: 20 }, (_, index) => requested(`${index}`));
    await Promise.all(booked.map((entry) => ledger.book(entry)));
    const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(booked.map((entry, n) => ({ n, ...entry })));
    await ledger.remove();
    expect(existsSync(file)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('writes a changed entry in the next tick without being awaited', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  try {
    const file = join(folder, 'report.json.ledger');
    const ledger = createLedgerFile(file, head);
    const entry = requested('one');
    await ledger.book(entry);
    void ledger.book(Object.assign(entry, { state: 'live', id: 'x' }));
    await setImmediate();
    const [last] = readFileSync(file, 'utf8').trim().split('\n').slice(-1);
    expect(JSON.parse(String(last))).toEqual({ n: 0, ...entry });
    await ledger.remove();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('writes a changed entry when the process exits in the same tick', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  try {
    const file = join(folder, 'report.json.ledger');
    const entry = requested('one');
    const script = `
      import { createLedgerFile } from ${JSON.stringify(new URL('./ledger-file.ts', import.meta.url).href)};
      const entry = ${JSON.stringify(entry)};
      const ledger = createLedgerFile(${JSON.stringify(file)}, ${JSON.stringify(head)});
      await ledger.book(entry);
      void ledger.book(Object.assign(entry, { state: 'live', id: 'x' }));
      process.exit();`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
    const [last] = readFileSync(file, 'utf8').trim().split('\n').slice(-1);
    expect(JSON.parse(String(last))).toEqual({ n: 0, ...entry, state: 'live', id: 'x' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('rejects an entry when the file cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  try {
    const script = `
      import { createLedgerFile } from ${JSON.stringify(new URL('./ledger-file.ts', import.meta.url).href)};
      const ledger = createLedgerFile(${JSON.stringify(join(folder, 'report.json.ledger'))}, ${JSON.stringify(head)});
      for (const name of ['one', 'two'])
        await ledger.book({ ...${JSON.stringify(requested(''))}, name }).catch(({ code }) => console.log(code));
      await ledger.remove();`;
    // A limit of the size of files, as full as a disk without free space.
    const command = 'ulimit -f 0; exec "$0" --input-type=module --eval "$1"';
    const said = execFileSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
    expect(said).toBe('EFBIG\nEFBIG\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('rejects the entries of a run whose report another run writes, and keeps the file of that run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  try {
    const file = join(folder, 'report.json.ledger');
    const [first, second] = [createLedgerFile(file, head), createLedgerFile(file, head)];
    await first.book(requested('one'));
    const kept = readFileSync(file, 'utf8');
    await expect(second.book(requested('two'))).rejects.toThrow(/lists the resources of a run that has not ended/);
    await second.remove();
    expect(readFileSync(file, 'utf8')).toBe(kept);
    await first.remove();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
