import { testKey } from '../../../test/support/start-backend.ts';
import { installed } from '../install.ts';
import type { Peer } from '../peer.ts';
import { judgingMs, runProcess } from '../run-process.ts';
import { steady } from '../sample.ts';
import type { JsonObject } from '#lib/json.ts';
import { toObject } from '../json.ts';

const java = 'JAVA_TOOL_OPTIONS';

/** Adapter of Specmatic with its generative tests. */
export const specmatic: Peer = {
  name: 'Specmatic',
  version: () => installed.specmatic.version,
  command:
    'ApiKey=KEY SPECMATIC_GENERATIVE_TESTS=true SPECMATIC_MAX_TEST_REQUEST_COMBINATIONS=1 MAX_TEST_REQUEST_COMBINATIONS=1 specmatic test DOCUMENT --testBaseURL=URL',
  input: 'OpenAPI 3.1 as it is; ids of path parameters under the names of the examples, which is how it pairs them',
  missing: () => installed.java(),
  prepare: (document) => Promise.resolve({ text: JSON.stringify(namedExamples(document)), fileName: 'document.json' }),
  async run({ stage, generation, file, folder }) {
    const { output, cutShort } = await runProcess({
      command: installed.specmatic.bin,
      args: ['test', file, `--testBaseURL=${stage.address}/api/${generation}`],
      cwd: folder,
      env: {
        ApiKey: testKey,
        SPECMATIC_GENERATIVE_TESTS: 'true',
        MAX_TEST_REQUEST_COMBINATIONS: '1',
        SPECMATIC_MAX_TEST_REQUEST_COMBINATIONS: '1',
        [java]: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
      },
      timeLimitMs: judgingMs,
    });
    if (!cutShort && !output.includes('Scenario: '))
      throw new Error(`specmatic has tested nothing: ${output.slice(-3000)}`);
    return { signatures: getFailures(output), cutShort };
  },
};

/**
 * Returns one text per failed scenario, without its number and generated values: operation, status, and the violated
 * rules with the members concerned.
 */
function getFailures(output: string): string[] {
  const blocks = output.split(/^-{10,}$/m);
  return blocks.flatMap((block) => {
    const head = /^([+-]ve)?\s*Scenario: (\S+ \S+ -> \S+)(.*) has FAILED/m.exec(block);
    if (head === null) return [];
    const [, sign = '', operation = '', rest = ''] = head;
    const mutated = /(\S+) is mutated from/.exec(rest)?.[1] ?? '';
    const reason = block.slice(head.index + head[0].length);
    const rules = [...reason.matchAll(/>> (\S+)|^\s+(R\d{4}):|response contained status (\d+)/gm)].map(
      ([, place, rule, status]) => place ?? rule ?? status,
    );
    return [steady(`${sign} ${operation} ${mutated} ${[...new Set(rules)].join(' ')}`)];
  });
}

/**
 * Returns a copy of a document in which the examples of path parameters, request body and success response of an
 * operation have one name. Specmatic associates examples by name.
 */
function namedExamples(document: JsonObject): JsonObject {
  const copy = structuredClone(document);
  for (const operation of Object.values(toObject(copy['paths'])).flatMap((item) => Object.values(toObject(item))))
    nameExamples(toObject(operation));
  return copy;
}

function nameExamples(operation: JsonObject): void {
  const answers = Object.entries(toObject(operation['responses'])).filter(([status]) => status.startsWith('2'));
  const answered = answers.flatMap(([, answer]) => getContents(answer));
  const [name] = [...getContents(operation['requestBody']), ...answered].flatMap(namesIn);
  if (name === undefined) return;
  for (const content of [...getContents(operation['requestBody']), ...answered]) keepOne(content, name);
  const { parameters } = operation;
  if (Array.isArray(parameters)) for (const parameter of parameters.map(toObject)) nameParameter(parameter, name);
}

function keepOne(content: JsonObject, name: string): void {
  const [first] = Object.values(toObject(content['examples']));
  if (first !== undefined) content['examples'] = { [name]: first };
}

function nameParameter(parameter: JsonObject, name: string): void {
  const { example } = parameter;
  if (parameter['in'] !== 'path' || example === undefined) return;
  delete parameter['example'];
  parameter['examples'] = { [name]: { value: example } };
}

function getContents(part: unknown): JsonObject[] {
  return Object.values(toObject(toObject(part)['content'])).map(toObject);
}

function namesIn({ examples }: JsonObject): string[] {
  return Object.keys(toObject(examples));
}
