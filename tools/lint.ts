import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * npm run lint
 * Runs every script `lint:*` of package.json, as many at once as the machine has processors. Prints the output of each
 * script when it ends, and exits with 1 when one fails.
 */
const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
/** Names of the scripts that take longest. They start first, so that no processor is idle at the end. */
const longest = ['lint:code', 'lint:types'];
const others = Object.keys(manifest.scripts).filter((name) => name.startsWith('lint:') && !longest.includes(name));
const waiting = [...longest, ...others];
const failed: string[] = [];

/** Runs one script, prints its complete output when it ends, and adds it to `failed` if it fails. */
async function lint(script: string): Promise<void> {
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const take = (piece: string): void => void (output += piece);
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  console.log(`> ${script}\n${output.trim()}\n`);
  if (code !== 0) failed.push(script);
}

async function lintNext(): Promise<void> {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) await lint(script);
}

await Promise.all(Array.from({ length: availableParallelism() }, lintNext));
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}. Correct what they print above, then run npm run lint again`);
  process.exitCode = 1;
}
