import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { isJsonObject } from '../../src/domain/json.ts';
import { runSvc, startMock } from './svc-process.ts';

/** Its clock runs so fast that the suite waits for little. */
const speed = '20';

/** Starts the stateful mock, judges by the contract what needs no real browser, and ends it. Answers the exit code. */
export async function judgeMock(extra: readonly string[] = []): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-judged-mock-'));
  const key = 'svc_mock';
  const log: string[] = [];
  const flags = ['--stateful', '--speed', speed, '--port', '0', '--control', '127.0.0.1:0'];
  const mock = await startMock(flags, { onLog: (line) => void log.push(line) });
  let code = 1;
  try {
    const target = join(folder, 'target.yaml');
    const known: unknown = parse(readFileSync('examples/targets/stateful-mock.yaml', 'utf8'));
    writeFileSync(target, stringify({ ...(isJsonObject(known) ? known : {}), control: mock.control }));
    const plan = ['--target', target, '--spend', 'task', '--max-dispatches', '200', '--rate', '0'];
    code = await runSvc(['check', mock.address, ...plan, ...extra], { SERVICE_API_KEY: key });
    return code;
  } finally {
    if (code !== 0) for (const line of log) console.error(line);
    await mock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
