import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '#lib/json.ts';
import { testKey } from '../../../test/support/start-backend.ts';
import { installed } from '../install.ts';
import { toText } from '../json.ts';
import type { Peer } from '../peer.ts';
import { judgingMs, runProcess } from '../run-process.ts';
import { steady } from '../sample.ts';

/**
 * Adapter of Schemathesis. It is no npm package and is not installed with the other tools; it runs only where `st` is
 * on the PATH.
 */
export const schemathesis: Peer = {
  name: 'Schemathesis',
  version: () => installed.schemathesis(),
  command:
    "st run DOCUMENT --url URL -H 'X-Service-API-Key: KEY' --seed 1 -n 50 --report ndjson --generation-database none",
  input: 'OpenAPI 3.1 as it is',
  missing: () => (installed.schemathesis() === '' ? 'st is not on the PATH' : undefined),
  prepare: (document) => Promise.resolve({ text: JSON.stringify(document), fileName: 'document.json' }),
  async run({ stage, generation, file, folder }) {
    const out = join(folder, 'st.ndjson');
    writeFileSync(out, '');
    const common = ['--seed', '1', '-n', '50', '--generation-database', 'none', '--no-color'];
    const report = ['--report', 'ndjson', '--report-ndjson-path', out];
    const url = ['--url', `${stage.address}/api/${generation}`, '-H', `X-Service-API-Key: ${testKey}`];
    const args = ['run', file, ...url, ...common, ...report];
    const { cutShort } = await runProcess({ command: 'st', args, cwd: folder, timeLimitMs: judgingMs });
    const lines = readFileSync(out, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return { signatures: [...new Set(lines.flatMap((line) => getFailures(JSON.parse(line), '')))], cutShort };
  },
};

/** Returns the failed checks in an event of the report, at any depth, each with its operation. */
function getFailures(value: unknown, label: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => getFailures(item, label));
  if (!isJsonObject(value)) return [];
  const operation = typeof value['label'] === 'string' ? value['label'] : label;
  const { name, status, failure } = value;
  const own = status === 'failure' && isJsonObject(failure) ? [failure] : [];
  const found = own.map(({ title }) => steady(`${operation} ${toText(name)} ${toText(title)}`));
  return [...found, ...Object.values(value).flatMap((inner) => getFailures(inner, operation))];
}
