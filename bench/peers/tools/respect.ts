import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '#lib/json.ts';
import { testKey } from '../../../test/support/start-backend.ts';
import { installed } from '../install.ts';
import { toText } from '../json.ts';
import type { Peer } from '../peer.ts';
import { judgingMs, runProcess } from '../run-process.ts';
import { steady } from '../sample.ts';

const arazzo = 'flow.arazzo.yaml';

/** Adapter of Redocly Respect with its generated workflows. */
export const respect: Peer = {
  name: 'Redocly respect',
  version: () => installed.redocly.version,
  command: 'redocly generate-arazzo DOCUMENT -o FLOW; redocly respect FLOW --input ApiKey=KEY -J OUT',
  input: 'OpenAPI 3.1 as it is',
  missing: () => undefined,
  prepare: (document) => Promise.resolve({ text: JSON.stringify(document), fileName: 'document.json' }),
  async run({ file, folder }) {
    const order = { command: installed.redocly.bin, cwd: folder, timeLimitMs: judgingMs };
    await runProcess({ ...order, args: ['generate-arazzo', file, '-o', arazzo] });
    const out = join(folder, 'respect.json');
    writeFileSync(out, '{}');
    const args = ['respect', arazzo, '--input', `ApiKey=${testKey}`, '-J', out];
    const { cutShort } = await runProcess({ ...order, args });
    return { signatures: getFailures(JSON.parse(readFileSync(out, 'utf8'))), cutShort };
  },
};

/** Returns the failed checks by step. */
function getFailures(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(getFailures);
  if (!isJsonObject(value)) return [];
  const { stepId, checks } = value;
  if (typeof stepId === 'string' && Array.isArray(checks))
    return checks
      .filter(isJsonObject)
      .filter(({ status }) => status === 'error')
      .map(({ name, message }) => steady(`${stepId} ${toText(name)} ${toText(message)}`));
  return Object.values(value).flatMap(getFailures);
}
