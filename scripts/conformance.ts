import { spawn } from 'node:child_process';
import { judgeMock } from './conformance/judge-mock.ts';
import { judgeProviderRows } from './conformance/judge-provider-rows.ts';
import { everyCell, judgeReference, withBrowsers } from './conformance/judge-reference.ts';

/**
 * npm run conformance              judge the reference backend: with a real Chromium, then every cell with simulated browsers, then as the two below
 * npm run conformance -- providers what reaches its model providers alone: with simulated browsers, and the suite as every provider
 * npm run conformance -- mock      the stateful mock alone, by the contract
 * npm run conformance -- <url> ... judge any other deployment: the arguments go to `svc check` as they are
 */
const [first, ...rest] = process.argv.slice(2);
process.exitCode = await chosen();

async function chosen(): Promise<number> {
  if (first === 'providers') return judgeProviderRows(rest);
  if (first === 'mock') return judgeMock(rest);
  if (first !== undefined && !first.startsWith('-')) return check([first, ...rest]);
  // A run that is narrowed down is one run, and not meant to see the providers.
  if (first !== undefined) return judgeReference(withBrowsers, [first, ...rest]);
  const parts = [
    () => judgeReference(withBrowsers),
    () => judgeReference(everyCell),
    () => judgeProviderRows([]),
    () => judgeMock(),
  ];
  for (const judge of parts) {
    const code = await judge();
    if (code !== 0) return code;
  }
  return 0;
}

function check(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['src/cli/main.ts', 'check', ...args], { stdio: 'inherit' });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
