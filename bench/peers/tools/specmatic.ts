import { testKey } from '../../../test/support/start-backend.ts';
import { installed } from '../install.ts';
import type { Peer } from '../peer.ts';
import { runProcess } from '../run-process.ts';
import { steady } from '../steady.ts';
import { namedExamples } from './named-examples.ts';

const java = 'JAVA_TOOL_OPTIONS';

/** Specmatic with its generative tests. */
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
      timeLimitMs: 240_000,
    });
    if (!cutShort && !output.includes('Scenario: '))
      throw new Error(`specmatic has tested nothing: ${output.slice(-3000)}`);
    return { signatures: failuresOf(output), cutShort };
  },
};

/** A scenario that failed, without its number and its drawn values: operation, status, and the rules that were broken where. */
function failuresOf(output: string): string[] {
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
