import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LedgerEntry } from '#conformance/index.ts';
import { createLedgerFile } from './ledger-file.ts';

it('keeps bookings of the same moment in their order and goes when the report says it all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  try {
    const file = join(folder, 'report.json.ledger');
    const ledger = createLedgerFile(file, { target: { url: 'http://127.0.0.1:1' }, stamp: 'word' });
    const booked = Array.from(
      { length: 20 },
      (_, index): LedgerEntry => ({
        kind: 'session',
        generation: 'v3',
        createdBy: 'createSession',
        name: `${index}`,
        state: 'requested',
      }),
    );
    await Promise.all(booked.map((entry) => ledger.book(entry)));
    const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(booked.map((entry, n) => ({ n, ...entry })));
    await ledger.remove();
    expect(existsSync(file)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
