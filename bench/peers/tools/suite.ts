import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherKey, testKey } from '../../../test/support/start-backend.ts';
import { toObject, toObjects, toText } from '../json.ts';
import type { Findings, Peer, Trial } from '../peer.ts';
import { judgingMs, runProcess } from '../run-process.ts';

/**
 * Polling settings of the target file. Intervals and deadlines are shorter than for a deployment, because browsers are
 * simulated.
 */
const polling = 'intervalMs: 10\n  startDeadlineMs: 5000\n  taskDeadlineMs: 5000\n  settleDeadlineMs: 1000';

/** Adapter of the suite of this project: one `svc check` of the requirements of the generation. */
export const suite: Peer = suiteWith('svc check', []);

/** Adapter of the suite that stops at the first failed requirement. */
export const suiteToFirst: Peer = suiteWith('svc check --max-failures 1', ['--max-failures', '1']);

function suiteWith(name: string, more: readonly string[]): Peer {
  const words = ['--profile', 'full', '--spend', 'task', '--rate', '0', '--seed', '1', ...more];
  return {
    name,
    version: () => 'this commit',
    command: `svc check URL --target FILE ${words.join(' ')} --only GENERATION`,
    input: 'its own rows; the target file of the reference',
    missing: () => undefined,
    prepare: () => Promise.resolve({ text: '', fileName: 'unused' }),
    run: (trial) => runSuite(trial, [...words, '--max-dispatches', '70']),
  };
}

async function runSuite({ stage, generation, folder }: Trial, words: readonly string[]): Promise<Findings> {
  const target = join(folder, 'target.yaml');
  const out = join(folder, 'report.json');
  const text = readFileSync('examples/targets/reference.yaml', 'utf8')
    .replace(/intervalMs: \d+/, polling)
    .replace(/slow \d+/, 'slow 1');
  writeFileSync(target, `${text}control: ${stage.control}\nv4: { browsers: null }\n`);
  const args = ['src/cli/main.ts', 'check', stage.address, '--target', target, ...words, '--only', generation];
  const { output, cutShort } = await runProcess({
    command: process.execPath,
    args: [...args, '--report', `json=${out}`],
    cwd: process.cwd(),
    env: { SERVICE_API_KEY: testKey, SVC_OTHER_API_KEY: otherKey },
    timeLimitMs: judgingMs,
  });
  if (cutShort) return { signatures: [], cutShort };
  if (!existsSync(out)) throw new Error(`svc check has written no report: ${output}`);
  return { signatures: getFailures(JSON.parse(readFileSync(out, 'utf8'))), cutShort };
}

const red = ['violation', 'warning', 'note', 'error'];

/**
 * Returns the id and verdict of each requirement that failed, or that the suite could not judge because of an error.
 */
function getFailures(report: unknown): string[] {
  return toObjects(toObject(report)['requirements'])
    .filter(({ verdict }) => red.includes(toText(verdict)))
    .map(({ id, verdict }) => `${toText(id)} ${toText(verdict)}`);
}
