import { describe, expect, it } from 'vitest';
import type { Generation } from '../core/target.ts';
import { judgeRecording } from '../runner/judge-recording.ts';
import { type Recording, renderHar } from '../recording/index.ts';
import type { ReportRow } from '../core/report.ts';
import { fakeProviderKeys } from '../testing/fake-provider.ts';
import { judgedAs } from '../testing/judged-as.ts';
import type { Fault } from '../testing/faults.ts';
import { judgeWithStub, stubRows } from '../testing/judge-with-stub.ts';
import { failingIds, judgeFake } from '../testing/judge-fake.ts';

/** `npm test` takes one of four faults, `npm run teeth` all of them. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

/** What is broken between a service and its model providers, in which generation, and exactly the rows that find it. */
const broken: readonly [Fault, Generation, string][] = [
  ['disabled becomes low', 'v3', 'MAP-02'],
  ['pro level is medium', 'v2', 'MAP-03'],
  ['legacy name not routed', 'v3', 'MAP-04'],
  ['half gemini budget', 'v2', 'MAP-05 LIMIT-04'],
  ['V3 effort is dropped', 'v3', 'MAP-07'],
  ['V2 replays thinking', 'v2', 'MAP-08'],
  ['disabled keeps thinking', 'v3', 'MAP-09'],
  ['double claude budget', 'v3', 'MAP-10 LIMIT-05'],
  ['disabled becomes minimal effort', 'v3', 'MAP-12'],
  ['glm switch stays on', 'v3', 'MAP-14'],
  ['alias reaches the provider', 'v3', 'V3-MODEL-05 VER-11'],
  ['V2 level takes the own key', 'v2', 'BYOK-01'],
  ['own key not used', 'v3', 'V3-MODEL-09'],
  ['V4 own key not used', 'v4', 'AUTH-08 BYOK-03 BYOK-04'],
  ['V4 flag against the own key', 'v4', 'BYOK-04'],
  ['switch chooses a depth', 'v2', 'V2-TASK-06'],
  ['params not forwarded', 'v4', 'V4-PARAMS-28'],
  ['no V4 default', 'v4', 'V4-PARAMS-29 V4-PARAMS-30'],
  ['empty params get the default', 'v4', 'V4-PARAMS-31'],
  ['params dropped with an own key', 'v4', 'V4-PARAMS-28 V4-PARAMS-32'],
  ['provider gets an unknown member', 'v4', 'PROVIDER-01'],
];

describe('what reaches the model providers', { timeout: 240_000 }, () => {
  it('is found without fault in a service that keeps the contract, in every row', async () => {
    const report = await judgeWithStub({ options: isWhole ? {} : { matrix: 'sample', maxDispatches: 120 } });
    expect(failingIds(report)).toEqual([]);
    const isPassed = ({ verdict, cells }: ReportRow): boolean =>
      verdict === 'pass' && (!isWhole || cells.judged === cells.total);
    expect(report.requirements.filter((row) => !isPassed(row))).toEqual([]);
    expect(report.requirements.map(({ id }) => id).toSorted()).toEqual(stubRows.toSorted());
    expect(report.left).toEqual([]);
  });

  it.each(broken.filter((_row, index) => isWhole || index % 4 === 0))(
    'is found to be wrong: %s',
    async (fault, generation, fails) => {
      const report = await judgeWithStub({
        faults: [fault],
        generation,
        options: { matrix: 'sample', maxDispatches: 60 },
      });
      expect(failingIds(report).toSorted()).toEqual(fails.split(' ').toSorted());
    },
  );

  it('is not judged if the target file names no stub', async () => {
    const report = await judgeFake({ options: { only: stubRows } });
    const reasons = new Set(report.requirements.map(({ verdict, reason }) => `${verdict}: ${reason}`));
    expect([...reasons]).toEqual(['notTestable: the target file names no provider stub (providerStub)']);
  });

  it('is no violation where nothing reaches them', async () => {
    const report = await judgeWithStub({
      faults: ['provider never asked'],
      options: { matrix: 'sample', maxDispatches: 90 },
    });
    expect(new Set(report.requirements.map(({ verdict }) => verdict))).toEqual(new Set(['notTestable']));
  });

  it('is judged again from its recording, without a stub, and no provider key is in it', async () => {
    const kept = Promise.withResolvers<Recording>();
    const options = { matrix: 'sample', maxDispatches: 60, onRecording: kept.resolve } as const;
    const live = await judgeWithStub({ faults: ['params not forwarded'], generation: 'v4', options });
    const har = renderHar(await kept.promise);
    expect(judgedAs(await judgeRecording({ text: har }))).toEqual(judgedAs(live));
    expect(failingIds(live)).toEqual(['V4-PARAMS-28']);
    for (const key of Object.values(fakeProviderKeys)) expect(har).not.toContain(key);
  });
});
