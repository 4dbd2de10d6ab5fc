import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createAudit } from './audit.ts';
import { type AuditFile, openAuditFile } from './audit-file.ts';

describe('an audit', () => {
  it('records each request of a client and its outcome, and nothing that may be a value', () => {
    const lines: JsonObject[] = [];
    const audit = createAudit({ write: (line) => lines.push(line), now: () => 0, newId: () => 'c1' });
    const client = audit.joined({ browser: 'b1', from: '192.0.2.1' });
    const sessionId = 'A'.repeat(32);
    client.message('passed', { method: 'Page.navigate', sessionId });
    client.message('refused', { method: 'my password is 1234', sessionId: 'also a secret' });
    client.message('malformed');
    client.left(1001);
    const head = { at: '1970-01-01T00:00:00.000Z', browser: 'b1', client: 'c1' };
    expect(lines).toEqual([
      { ...head, event: 'joined', from: '192.0.2.1' },
      { ...head, event: 'message', method: 'Page.navigate', session: sessionId, outcome: 'passed' },
      { ...head, event: 'message', method: '(not shown)', session: '(not shown)', outcome: 'refused' },
      { ...head, event: 'message', outcome: 'malformed' },
      { ...head, event: 'left', code: 1001, passed: 1, rewritten: 0, refused: 1, answered: 0, malformed: 1 },
    ]);
  });
});

describe('the file of an audit', () => {
  let folder: string;
  let path: string;
  let errors: unknown[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-audit-'));
    path = join(folder, 'audit.jsonl');
    errors = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const opened = (changes: { bytesMax?: number; backlogBytesMax?: number } = {}): Promise<AuditFile> =>
    openAuditFile({
      path,
      bytesMax: 1_000_000,
      backlogBytesMax: 1_000_000,
      onError: (e) => errors.push(e),
      ...changes,
    });
  const getLines = (name: string): JsonObject[] =>
    readFileSync(name, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);

  it('has every line when it is closed, for its owner alone, after what was there', async () => {
    const first = await opened();
    first.write({ n: 1 });
    await first.close();
    const second = await opened();
    for (let n = 2; n <= 1000; n += 1) second.write({ n });
    await second.close();
    expect(getLines(path)).toEqual(Array.from({ length: 1000 }, (_, index) => ({ n: index + 1 })));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('makes room when it is full', async () => {
    for (let n = 1; n <= 4; n += 1) {
      const file = await opened({ bytesMax: 1 });
      file.write({ n });
      await file.close();
    }
    expect([getLines(`${path}.1`), getLines(path)]).toEqual([[{ n: 3 }], [{ n: 4 }]]);
  });

  it('makes a new file where another program has moved the full one away', async () => {
    const file = await opened({ bytesMax: 1 });
    file.write({ n: 1 });
    await vi.waitFor(() => expect(getLines(path)).toEqual([{ n: 1 }]));
    renameSync(path, join(folder, 'moved.jsonl'));
    file.write({ n: 2 });
    await file.close();
    expect([errors, getLines(path)]).toEqual([[], [{ n: 2 }]]);
  });

  it('loses lines rather than memory, and says how many', async () => {
    const file = await opened({ backlogBytesMax: 20 });
    for (let n = 1; n <= 5; n += 1) file.write({ n });
    await file.close();
    expect(getLines(path)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { event: 'lost', lines: 2 }]);
  });

  it('says that the disk takes no more, and goes on when it does', async () => {
    const file = await opened({ bytesMax: 1 });
    file.write({ n: 1 });
    await file.close();
    // A folder blocks the name of the older file.
    mkdirSync(join(`${path}.1`, 'in the way'), { recursive: true });
    const next = await opened({ bytesMax: 1 });
    next.write({ n: 2 });
    await next.close();
    // `close` writes once more, for the line with the number of lost lines.
    expect(errors).toHaveLength(2);
    rmSync(`${path}.1`, { recursive: true });
    await expect(
      openAuditFile({ path: join(folder, 'no', 'such'), bytesMax: 1, backlogBytesMax: 1, onError: () => undefined }),
    ).rejects.toThrow(/^found that .* cannot be written/);
  });
});
