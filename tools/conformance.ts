import { spawn } from 'node:child_process';
import { printLine } from '../src/cli/print.ts';
import { judgeMock } from './conformance/judge-mock.ts';
import { judgeProviderRows } from './conformance/judge-provider-rows.ts';
import type { PartResult } from './conformance/judged-part.ts';
import { everyCell, judgeReference, withBrowsers } from './conformance/judge-reference.ts';

/**
 * npm run conformance judges the reference with a real Chromium, then every cell with simulated browsers, then the two
 * parts below
 * npm run conformance -- providers judges what reaches the model providers: simulated browsers, and the suite as every
 * provider
 * npm run conformance -- mock judges the stateful mock by the contract
 * npm run conformance -- --details prints every finding, every area and all ids
 * npm run conformance -- <url> ... judges another deployment: the arguments go to `svc check` unchanged
 */
const [first, ...rest] = process.argv.slice(2);
process.exitCode = await chosen();

async function chosen(): Promise<number> {
  if (first === 'providers') return (await judgeProviderRows(rest)).code;
  if (first === 'mock') return (await judgeMock(rest)).code;
  if (first !== undefined && !first.startsWith('-')) return check([first, ...rest]);
  // A restricted run is a single run without the providers.
  const flags = first === undefined ? [] : [first, ...rest];
  if (flags.some((flag) => flag !== '--details')) return (await judgeReference(withBrowsers, flags)).code;
  return judgeAll(flags);
}

/**
 * Judges the parts in order until one fails and prints a verdict for each and for all. Returns the exit code of the
 * first that failed.
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

function check(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['src/cli/main.ts', 'check', ...args], { stdio: 'inherit' });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
