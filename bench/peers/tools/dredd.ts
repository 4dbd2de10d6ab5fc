import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { testKey } from '../../../test/support/start-backend.ts';
import { installed } from '../install.ts';
import type { Peer } from '../peer.ts';
import { judgingMs, runProcess } from '../run-process.ts';
import { steady } from '../sample.ts';

/** Adapter of Dredd, which sends one request for each documented response. */
export const dredd: Peer = {
  name: 'Dredd',
  version: () => installed.dredd.version,
  command: "dredd DOCUMENT URL --header 'X-Service-API-Key: KEY' --reporter xunit --output OUT",
  input:
    'converted to OpenAPI 3.0 by @apiture/openapi-down-convert, as block YAML; answers with the charset that it compares letter by letter',
  missing: () => undefined,
  async prepare(document, folder) {
    const file = join(folder, 'dredd-31.yaml');
    const converted = join(folder, 'dredd-30.yaml');
    writeFileSync(file, stringify(document, { aliasDuplicateObjects: false }));
    const args = ['--input', file, '--output', converted];
    await runProcess({ command: installed.downConvert.bin, args, cwd: folder, timeLimitMs: 60_000 });
    const old: unknown = parse(readFileSync(converted, 'utf8'));
    const text = stringify(withCharset(old, false), { aliasDuplicateObjects: false });
    return { text, fileName: 'document.yaml' };
  },
  async run({ stage, generation, file, folder }) {
    const out = join(folder, 'dredd.xml');
    const header = ['--header', `X-Service-API-Key: ${testKey}`];
    const reporter = ['--reporter', 'xunit', '--output', out, '--loglevel', 'error'];
    const args = [file, `${stage.address}/api/${generation}`, ...header, ...reporter];
    const { cutShort, output } = await runProcess({
      command: installed.dredd.bin,
      args,
      cwd: folder,
      timeLimitMs: judgingMs,
    });
    if (cutShort) return { signatures: [], cutShort };
    if (!existsSync(out)) throw new Error(`dredd has written no report: ${output}`);
    return { signatures: getFailures(readFileSync(out, 'utf8')), cutShort };
  },
};

/**
 * Returns a copy of a part of a document. In responses (with `isAnswer`, everywhere), the media type JSON gets the
 * charset that the server sends.
 */
function withCharset(value: unknown, isAnswer: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withCharset(item, isAnswer));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      isAnswer && key === 'application/json' ? 'application/json; charset=utf-8' : key,
      withCharset(inner, isAnswer || key === 'responses'),
    ]),
  );
}

function getFailures(xml: string): string[] {
  const cases = xml.matchAll(/<testcase name="([^"]*)"[^>]*><failure><!\[CDATA\[Message:\s*([\s\S]*?)\n\s*\nRequest:/g);
  return [...cases].map(([, name = '', message = '']) => steady(`${name} ${message}`));
}
