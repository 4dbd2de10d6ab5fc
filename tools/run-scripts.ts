import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * node tools/run-scripts.ts <prefix>
 * Runs every script of package.json whose name begins with a prefix, as many at once as the machine has processors.
 * Prints the output of each script when it ends, and exits with 1 when one fails.
 */
const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const [prefix = ''] = process.argv.slice(2);
/** Scripts that take longest. They start first, so that no processor is idle at the end. */
const longest = ['lint:code', 'lint:types', 'parts:system'];
const isSlow = (name: string): boolean => longest.includes(name);
const chosen = Object.keys(manifest.scripts).filter((name) => prefix !== '' && name.startsWith(prefix));
if (chosen.length === 0) throw new Error(`found no script that begins with "${prefix}", expected for example "lint:"`);
const waiting = chosen.toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one)));
const failed: string[] = [];

/** Runs one script, prints its complete output at its end, and records a failure. */
async function runScript(script: string): Promise<void> {
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

async function runNext(): Promise<void> {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) await runScript(script);
}

await Promise.all(Array.from({ length: availableParallelism() }, runNext));
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}. Correct what they print above, then run the same command again`);
  process.exitCode = 1;
}
