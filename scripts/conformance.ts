import { spawn } from 'node:child_process';
import { judgeReference } from './conformance/judge-reference.ts';

/**
 * npm run conformance              judge the reference backend: start it with a real Chromium, check it, end it
 * npm run conformance -- <url> ... judge any other deployment: the arguments go to `svc check` as they are
 */
const [first, ...rest] = process.argv.slice(2);
process.exitCode =
  first !== undefined && !first.startsWith('-')
    ? await check([first, ...rest])
    : await judgeReference(first === undefined ? [] : [first, ...rest]);

function check(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['src/cli/main.ts', 'check', ...args], { stdio: 'inherit' });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
