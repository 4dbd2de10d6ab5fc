import { expect, it } from 'vitest';
import { referenceStubRows, stubRows } from '#conformance/testing/judge-with-stub.ts';
import { describeMutants } from './describe-mutants.ts';
import { judge } from './run-mutant.ts';
import { providerCallMutants } from './table/provider-calls.ts';

/** `npm test` samples the cells; `npm run teeth` sends all cells. */
const matrix = process.env['SVC_MUTANTS'] === 'all' ? ({ matrix: 'full' } as const) : {};

it('what the reference sends its model providers is found without fault, in every row', async () => {
  const { report, failing, errors } = await judge({ server: 'providers', ...matrix });
  const told = report.requirements.filter(({ verdict }) => verdict !== 'pass');
  expect(told.map(({ id, verdict, reason, failures }) => ({ id, verdict, reason, failures }))).toEqual([]);
  expect([...failing, ...errors]).toEqual([]);
  expect(report.requirements.map(({ id }) => id).toSorted()).toEqual([...stubRows, ...referenceStubRows].toSorted());
  expect(report.left).toEqual([]);
});

describeMutants('what reaches the model providers', providerCallMutants);
