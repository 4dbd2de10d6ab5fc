import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Report, type RunOptions, mergeReports, parseTarget, run } from '#conformance/index.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

/** `npm test` splits the requirements of V3 into shards; `npm run teeth` splits all requirements. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

/** Returns the target file of the reference, with intervals and deadlines for simulated browsers. */
function targetText(control: string): string {
  const polling = 'intervalMs: 3\n  startDeadlineMs: 20000\n  taskDeadlineMs: 20000\n  settleDeadlineMs: 5000';
  const text = readFileSync('examples/targets/reference.yaml', 'utf8');
  const quick = text.replace(/intervalMs: \d+/, polling).replace(/slow \d+/, 'slow 1');
  return `${quick}control: ${control}\nv4: { browsers: null }\n`;
}

function optionsFor({ address, control }: StartedBackend): RunOptions {
  return {
    target: parseTarget({ url: address, text: targetText(control) }),
    apiKey: testKey,
    otherApiKey: otherKey,
    profile: 'full',
    ...(isWhole ? {} : { only: ['v3'] }),
    spend: 'task',
    maxDispatches: 70,
    ratePerSecond: 0,
    seed: 1,
  };
}

const verdicts = ({ requirements }: Report): string[] => requirements.map(({ id, verdict }) => `${id} ${verdict}`);

it('three shards of a run against the reference have the verdicts of one run', async () => {
  const started = await startBackend();
  const options = optionsFor(started);
  try {
    const whole = await run(options);
    const parts: Report[] = [];
    for (const index of [1, 2, 3]) parts.push(await run({ ...options, shard: { index, of: 3 } }));
    const merged = mergeReports(parts);
    expect(verdicts(merged)).toEqual(verdicts(whole));
    expect(merged.left).toEqual([]);
    expect(merged.totals.passed).toBeGreaterThan(80);
    expect(merged.created.length).toBe(whole.created.length);
  } finally {
    await started.stop();
  }
});
