import { stubFaults } from '#conformance/testing/judge-with-stub.ts';
import { describe, expect, it } from 'vitest';
import { listRequirements } from '#conformance/index.ts';
import { mutants as fakeMutants } from '#conformance/testing/mutants.ts';
import { allMutants } from './all-mutants.ts';
import { expectNoFault } from './expect-no-fault.ts';
import { findFaultClass } from './fault-classes.ts';
import { judge } from './run-mutant.ts';
import { legalBrowserClients } from './table/browser-clients.ts';
import { legalBrowserProfiles } from './table/browser-profiles.ts';
import { legalBrowserViews } from './table/browser-views.ts';
import { legalRequestRates } from './table/request-rates.ts';
import { legalRunDesk } from './table/run-desk.ts';
import { legalShares } from './table/shares.ts';
import { legalV2Files } from './table/v2-files.ts';
import { legalV2 } from './table/v2-interface.ts';
import { legalV3 } from './table/v3-interface.ts';
import { legalV4 } from './table/v4-interface.ts';

/**
 * `npm test` judges every third legal choice, and browsers only with scripted pages. `npm run teeth` judges all choices
 * and real browsers too. For the reference, see `test/recordings.test.ts`; `npm run conformance` judges real browsers
 * by all rows.
 */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

describe('good servers', () => {
  it.each(isWhole ? (['reference', 'mock'] as const) : (['mock'] as const))(
    'the %s is found without fault, with nothing left',
    async (server) => expectNoFault(await judge({ server })),
  );

  it.each(isWhole ? (['scripted', 'chromium'] as const) : (['scripted'] as const))(
    'standalone browsers of the reference are found without fault, with nothing left: %s',
    async (server) => {
      const { report, failing, errors } = await judge({ server });
      expect([...failing, ...errors]).toEqual([]);
      expect(report.left).toEqual([]);
      const unjudged = report.requirements.filter(({ verdict }) => verdict !== 'pass');
      // The first three rows need tasks; the other rows need a country checker.
      expect(unjudged.map(({ id }) => id)).toEqual([
        'V4-BROWSER-26',
        'V4-BROWSER-28',
        'V4-BROWSER-29',
        'V4-BROWSER-10',
        'V4-BROWSER-11',
      ]);
    },
  );

  const beyond = [
    ['scripted', 'browser-views'],
    ['scripted', 'browser-profiles'],
    ['chromium', 'browser-clients'],
    ['chromium', 'browser-profiles'],
  ] as const;

  it.each(beyond.filter(([server]) => isWhole || server === 'scripted'))(
    'browsers of the reference are found without fault beyond the contract: %s, %s',
    async (server, area) => {
      const { report, failing, errors } = await judge({ server, only: [area] });
      expect([...failing, ...errors]).toEqual([]);
      expect(report.requirements.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(report.left).toEqual([]);
    },
  );

  const views = [
    ...legalV2,
    ...legalV3,
    ...legalV4,
    ...legalBrowserViews,
    ...legalBrowserClients,
    ...legalBrowserProfiles,
  ];
  const choices = [...views, ...legalV2Files, ...legalShares, ...legalRunDesk, ...legalRequestRates];

  it.each(choices.filter((_choice, index) => isWhole || index % 3 === 0))(
    'no fault is found where the companion leaves a choice, $id: $breaks',
    async (legal) => {
      const { report, failing, errors } = await judge(legal);
      expect([...failing, ...errors]).toEqual([]);
      expect(report.requirements.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id)).toEqual([]);
    },
  );

  it('a broken server breaks each check, and says so beforehand', () => {
    const named = new Set<string>([
      ...allMutants.map(({ target }) => target),
      ...fakeMutants.flatMap(({ fails }) => fails),
      ...stubFaults.flatMap(([, , fails]) => fails.split(' ')),
    ]);
    const checked = listRequirements().filter(({ treatment }) => treatment === 'check');
    expect(checked.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
  });

  it('there are enough broken servers of the kinds that no general tool finds', () => {
    const kinds = ['semantics', 'life cycle', 'tenancy'];
    const found = allMutants.filter(({ target }) => kinds.includes(findFaultClass(target)));
    expect(found.length).toBeGreaterThanOrEqual(60);
  });

  it('every mutant has an id of its own, and there are enough of them', () => {
    expect(new Set(allMutants.map((mutant) => mutant.id)).size).toBe(allMutants.length);
    expect(allMutants.length).toBeGreaterThanOrEqual(200);
  });
});
