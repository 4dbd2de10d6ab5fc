import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkClient } from '../../src/library/index.ts';

const command = [process.execPath, 'examples/check-client/fetch/adapter.mjs'] as const;

/** Returns a new folder, which is removed at the end of the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('checkClient', () => {
  it('passes a client that keeps the rules', async () => {
    const seen: number[] = [];
    const only = ['run-v4', 'ends-completed', 'lost-answer'];
    const report = await checkClient({ command, only, concurrency: 3, onTrial: (done) => seen.push(done) });
    expect(seen).toEqual([1, 2, 3]);
    const rows = report.requirements.map(({ id, verdict }) => [id, verdict]);
    expect(rows.filter(([, verdict]) => !['pass', 'notTestable'].includes(verdict ?? ''))).toEqual([]);
    expect(rows).toContainEqual(['CLIENT-WRITE-01', 'pass']);
    expect(rows).toContainEqual(['CLIENT-POLL-04', 'pass']);
  });

  it('names the rule that a client breaks, with its requests and a token', async () => {
    const program = join(newFolder(), 'client.mjs');
    writeFileSync(
      program,
      `const input = JSON.parse(process.env.SVC_INPUT);
       await fetch(process.env.SERVICE_API_URL + '/api/v4/runs', { method: 'POST', body: JSON.stringify(input.create),
         headers: { authorization: 'Bearer ' + process.env.SERVICE_API_KEY, 'content-type': 'application/json' } });`,
    );
    const report = await checkClient({
      command: [process.execPath, program],
      only: ['CLIENT-KEY-01', 'CLIENT-KEY-02'],
    });
    const found = report.requirements.map(({ id, verdict }) => [id, verdict]);
    expect(found).toEqual([
      ['CLIENT-KEY-01', 'violation'],
      ['CLIENT-KEY-02', 'violation'],
    ]);
    const [failure] = report.requirements[0]?.failures ?? [];
    expect(failure?.script?.[0]).toMatch(/^\+\d+\.\d{3} s POST \/api\/v4\/runs -> \d{3}/);
    expect(failure?.replay).toMatch(/^svc-client1\.\S+ -- /);
    expect(JSON.stringify(report)).not.toMatch(/Bearer svc_/);
  });

  it('ends although a child of the program holds its output open', async () => {
    const program = join(newFolder(), 'client.mjs');
    writeFileSync(
      program,
      `import { spawn } from 'node:child_process';
       const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 40_000)'], { stdio: 'inherit', detached: true });
       child.unref();`,
    );
    const report = await checkClient({ command: [process.execPath, program], only: ['run-v4'] });
    expect(report.requirements.find(({ id }) => id === 'CLIENT-POLL-06')?.failures[0]?.message).toMatch(
      /no request that gives the task: it ended with code 0/,
    );
    expect(report.durationMs).toBeLessThan(30_000);
  });

  it('refuses a program that ends with an error before any request, and shows the error', async () => {
    const absent = [process.execPath, 'absent-client.mjs'] as const;
    await expect(checkClient({ command: absent, only: ['run-v4', 'lost-answer'] })).rejects.toThrow(
      /no request in any of 2 trials: it ended with code 1, and said: Error: Cannot find module .*absent-client/,
    );
  });

  it('rejects a word that names nothing, and says what was meant', async () => {
    await expect(checkClient({ command, only: ['lost-answr'] })).rejects.toThrow(/try "lost-answer"/);
  });
});
