import { describe, expect, it } from 'vitest';
import { type Recording, type RunOptions, judgeRecording, renderHar } from '#conformance/index.ts';
import { sendOverHttp } from '#conformance/transport/send-over-http.ts';
import { judgedAs } from '#conformance/testing/judged-as.ts';
import { allMutants } from './mutants/all-mutants.ts';
import { narrowed } from './mutants/describe-mutants.ts';
import { expectNoFault } from './mutants/expect-no-fault.ts';
import { type Judgeable, type Judged, judge } from './mutants/run-mutant.ts';
import { otherKey, testKey } from './support/start-backend.ts';

async function record(server: Judgeable, more: Partial<RunOptions> = {}): Promise<Judged & { har: string }> {
  const kept = Promise.withResolvers<Recording>();
  const judged = await judge(server, { ...more, onRecording: kept.resolve });
  return { ...judged, har: renderHar(await kept.promise) };
}

/**
 * Patterns of the secrets that answers of the reference contain, such as signatures and tokens, and of the secrets that
 * the suite generates.
 */
const secrets = [
  /[?&]signature=([^"&\\]+)/g,
  /"signature":"([^"]+)"/g,
  /\/(?:live|share|devtools\/browser)\/([\w-]+)/g,
  /"shareToken":"([^"]+)"/g,
  /(svc-check-[\w-]+-[0-9a-f]{32})/g,
];

function secretsIn(text: string): string[] {
  // URLs in examples of the published documents give no access.
  const own = text.replaceAll(/https:\/\/[\w.-]+\.example\/[^"\\]*/g, '');
  return secrets.flatMap((pattern) => [...own.matchAll(pattern)].map(([, secret = '']) => secret));
}

describe('a recording of the reference', () => {
  it('has no fault and nothing left, is judged as the run was, and shows no secret', async () => {
    const seen = new Set<string>([testKey, otherKey]);
    const transport: RunOptions['transport'] = async (request) => {
      const answer = await sendOverHttp(request);
      for (const secret of secretsIn([request.url, request.body, answer.body].join('\n'))) seen.add(secret);
      return answer;
    };
    const recorded = await record({ server: 'reference' }, { transport });
    const { report, har } = recorded;
    expectNoFault(recorded);
    expect(judgedAs(await judgeRecording({ text: har }))).toEqual(judgedAs(report));
    expect(seen.size).toBeGreaterThan(100);
    // No secret contains a quotation mark. Text between two secrets would be repeated in many places.
    expect([...seen].filter((secret) => secret.includes('"'))).toEqual([]);
    const shown = [...new Set(har.split('"'))].join('"');
    expect([...seen].filter((secret) => shown.includes(secret))).toEqual([]);
  });

  const chosen = [
    'browser-is-new-each-time',
    'tenancy-v4-silent-stop',
    'file-addresses-always',
    'v2-task-total-of-page',
    'purge-v2-204',
  ];

  it.each(chosen)('has the same breach: %s', async (id) => {
    const mutant = allMutants.find((one) => one.id === id);
    if (mutant === undefined) throw new Error(`there is no mutant ${id}`);
    const { report, failing, har } = await record(mutant, narrowed(mutant));
    expect(failing).toContain(mutant.target);
    expect(judgedAs(await judgeRecording({ text: har }))).toEqual(judgedAs(report));
  });
});
