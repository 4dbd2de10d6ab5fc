import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '#lib/json.ts';
import { testKey } from '../../../test/support/start-backend.ts';
import { installed } from '../install.ts';
import type { Peer } from '../peer.ts';
import { judgingMs, runProcess } from '../run-process.ts';
import { steady } from '../sample.ts';

/** Adapter of Portman and Newman, with contract tests and Portman's fuzzing. */
export const portman: Peer = {
  name: 'Portman + Newman',
  version: () => `${installed.portman.version} + ${installed.newman.version}`,
  command:
    'portman -l DOCUMENT -o COLLECTION --portmanConfigFile bench/peers/installed/portman.json; newman run COLLECTION --env-var apiKey=KEY',
  input: 'OpenAPI 3.1 as it is',
  missing: () => undefined,
  async prepare(document, folder) {
    const file = join(folder, 'portman-input.json');
    const collection = join(folder, 'portman-collection.json');
    writeFileSync(file, JSON.stringify(document));
    const config = join(process.cwd(), 'bench/peers/installed/portman.json');
    const args = ['-l', file, '-o', collection, '--portmanConfigFile', config];
    const { output } = await runProcess({ command: installed.portman.bin, args, cwd: folder, timeLimitMs: 180_000 });
    if (!output.includes('Collection written')) throw new Error(`portman has written no collection: ${output}`);
    const text = JSON.stringify(JSON.parse(readFileSync(collection, 'utf8')), withoutSaved);
    return { text, fileName: 'collection.json' };
  },
  async run({ stage, generation, file, folder }) {
    const out = join(folder, 'newman.xml');
    writeFileSync(out, '');
    const variables = ['--env-var', `apiKey=${testKey}`, '--env-var', `baseUrl=${stage.address}/api/${generation}`];
    const reporters = ['--reporters', 'junit', '--reporter-junit-export', out];
    const args = ['run', file, ...variables, ...reporters, '--timeout-request', '10000'];
    const { cutShort } = await runProcess({ command: installed.newman.bin, args, cwd: folder, timeLimitMs: judgingMs });
    return { signatures: getFailures(readFileSync(out, 'utf8')), cutShort };
  },
};

/** Replacer for `JSON.stringify` that removes saved responses, which take megabytes and which Newman ignores. */
function withoutSaved(_key: string, value: unknown): unknown {
  return isJsonObject(value) && Array.isArray(value['response']) ? { ...value, response: [] } : value;
}

function getFailures(xml: string): string[] {
  const cases = xml.matchAll(
    /<testcase name="([^"]*)"[^>]*>\s*<(?:failure|error)[^>]*?(?:message="([^"]*)")?[^>]*>([\s\S]*?)<\/testcase>/g,
  );
  return [...cases].map(([, name = '', message = '', body = '']) =>
    steady(`${name} ${message} ${/CDATA\[[\s\S]*?(?:Error message|AssertionError)?:?([^\n]*)/.exec(body)?.[1] ?? ''}`),
  );
}
