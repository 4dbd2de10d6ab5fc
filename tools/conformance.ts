import { printLine } from '../src/cli/print.ts';
import { judgeProviderRows } from './conformance/judge-provider-rows.ts';
import { type PartResult, judgePart } from './conformance/judged-part.ts';
import { everyCell, judgeReference, withBrowsers } from './conformance/judge-reference.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { isJsonObject } from '#lib/json.ts';
import { printLog, runSvc, type ServiceProcess, startService } from './conformance/svc-process.ts';

/** Factor by which the mock's clock runs faster, so that the suite waits less. */
const speed = '20';
/** The only API key that the mock accepts. */
const mockKey = 'svc_mock';

/**
 * Runs of the suite by the arguments of `npm run conformance`:
 *
 * - none, or only `--details`: judges the reference with a real Chromium, then every cell of every matrix with
 *   simulated browsers, then the parts `providers` and `mock`. `--details` prints every finding, every area and all ids.
 * - `-- providers`: judges the requests to model providers, with simulated browsers and the suite as every provider.
 * - `-- mock`: judges the stateful mock by the contract.
 * - `-- <flags>`: judges the reference with a real Chromium only; the flags go to `svc check`.
 * - `-- <url> ...`: judges another deployment; the arguments go to `svc check` unchanged.
 */
const [first, ...rest] = process.argv.slice(2);
process.exitCode = await chosen();

async function chosen(): Promise<number> {
  if (first === 'providers') return (await judgeProviderRows(rest)).code;
  if (first === 'mock') return (await judgeMock(rest)).code;
  if (first !== undefined && !first.startsWith('-')) return runSvc(['check', first, ...rest], {});
  // With flags other than `--details`, only the reference with a real Chromium is judged.
  const flags = first === undefined ? [] : [first, ...rest];
  if (flags.some((flag) => flag !== '--details')) return (await judgeReference(withBrowsers, flags)).code;
  return judgeAll(flags);
}

/**
 * Judges the parts in order until a part fails. Prints a verdict for each part and for all parts. Returns the exit code
 * of the failed part, otherwise 0.
 */
async function judgeAll(flags: readonly string[]): Promise<number> {
  const parts = [
    () => judgeReference(withBrowsers, flags),
    () => judgeReference(everyCell, flags),
    () => judgeProviderRows(flags),
    () => judgeMock(flags),
  ];
  const results: PartResult[] = [];
  for (const judge of parts) {
    const result = await judge();
    results.push(result);
    if (result.code !== 0) break;
  }
  const failed = results.find(({ code }) => code !== 0);
  printLine('\n== All parts');
  for (const { title, text } of results) printLine(`${title}\n  ${text}`);
  const open = parts.length - results.length;
  const verdict = failed === undefined ? 'PASSED' : 'FAILED';
  const omitted = open === 0 ? '' : ` · ${open} not run`;
  printLine(`${verdict}: ${results.length - (failed === undefined ? 0 : 1)} of ${parts.length} parts passed${omitted}`);
  return failed?.code ?? 0;
}

/**
 * Starts the stateful mock, judges it by the contract with `--spend task`, and stops it. Prints its log after a
 * failure.
 */
async function judgeMock(extra: readonly string[] = []): Promise<PartResult> {
  const log: string[] = [];
  const flags = ['--stateful', '--speed', speed, '--port', '0', '--control', '127.0.0.1:0', '--api-key', mockKey];
  let failed = true;
  try {
    const mock = await startService({ command: 'mock', args: flags, onLog: (line) => void log.push(line) });
    const result = await judgeStarted(mock, extra);
    failed = result.code !== 0;
    return result;
  } finally {
    if (failed) printLog(log, extra);
  }
}

async function judgeStarted(mock: ServiceProcess, extra: readonly string[]): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-judged-mock-'));
  try {
    const target = join(folder, 'target.yaml');
    const known: unknown = parse(readFileSync('examples/targets/stateful-mock.yaml', 'utf8'));
    writeFileSync(target, stringify({ ...(isJsonObject(known) ? known : {}), control: mock.control }));
    const plan = ['--target', target, '--spend', 'task', '--max-dispatches', '200', '--rate', '0'];
    const part = { title: 'Stateful mock, by the contract', address: mock.address, flags: plan, extra };
    return await judgePart({ ...part, env: { SERVICE_API_KEY: mockKey } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await mock.stop();
  }
}
