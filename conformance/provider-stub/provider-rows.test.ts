import { describe, expect, it } from 'vitest';
import { judgeRecording } from '../runner/judge-recording.ts';
import { type Recording, renderHar } from '../recording/index.ts';
import type { ReportRow } from '../core/report.ts';
import { fakeProviderKeys } from '../testing/fake-provider.ts';
import { judgedAs } from '../testing/judged-as.ts';
import { judgeWithStub, stubFaults, stubRows } from '../testing/judge-with-stub.ts';
import { failingIds, judgeFake } from '../testing/judge-fake.ts';

/** True if all faults are tested (`npm run teeth`); `npm test` tests a sample of them. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

describe('what reaches the model providers', () => {
  it('is found without fault in a service that keeps the contract, in every row', async () => {
    const report = await judgeWithStub({ options: isWhole ? {} : { matrix: 'sample', maxDispatches: 120 } });
    expect(failingIds(report)).toEqual([]);
    const isPassed = ({ verdict, cells }: ReportRow): boolean =>
      verdict === 'pass' && (!isWhole || cells.judged === cells.total);
    expect(report.requirements.filter((row) => !isPassed(row))).toEqual([]);
    expect(report.requirements.map(({ id }) => id).toSorted()).toEqual(stubRows.toSorted());
    expect(report.left).toEqual([]);
  });

  it.each(stubFaults.filter((_row, index) => isWhole || index % 4 === 0))(
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
