import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { isJsonObject } from '../../src/lib/json.ts';
import { type PartResult, judgePart } from './judged-part.ts';
import { printLog, startMock } from './svc-process.ts';

/** Speed of the mock's clock, so that the suite waits less. */
const speed = '20';

/** Starts the stateful mock, judges by the contract what needs no real browser, and ends the mock. */
export async function judgeMock(extra: readonly string[] = []): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-judged-mock-'));
  const key = 'svc_mock';
  const log: string[] = [];
  const flags = ['--stateful', '--speed', speed, '--port', '0', '--control', '127.0.0.1:0'];
  const mock = await startMock(flags, { onLog: (line) => void log.push(line) });
  let failed = true;
  try {
    const target = join(folder, 'target.yaml');
    const known: unknown = parse(readFileSync('examples/targets/stateful-mock.yaml', 'utf8'));
    writeFileSync(target, stringify({ ...(isJsonObject(known) ? known : {}), control: mock.control }));
    const plan = ['--target', target, '--spend', 'task', '--max-dispatches', '200', '--rate', '0'];
    const part = { title: 'Stateful mock, by the contract', address: mock.address, flags: plan, extra };
    const result = await judgePart({ ...part, env: { SERVICE_API_KEY: key } });
    failed = result.code !== 0;
    return result;
  } finally {
    if (failed) printLog(log, extra);
    await mock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
