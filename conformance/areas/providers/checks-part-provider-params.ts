import { modelParams } from '#generated/rules.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { providerRuns } from './scenarios-part-provider-calls.ts';
import { providerKeys } from './scenarios-part-provider-keys.ts';
import { type ProviderCell, providerCells } from './cells.ts';
import type { ProviderSeen } from './scenarios-part-provider-task.ts';
import { carries, depthOf, shownControls, valueAt } from './checks-part-provider-controls.ts';
import { type Expectation, agentCalls, judgeCells, providerNeeds, seenTasks } from './checks-part-provider-seen.ts';

const defaults: readonly { model: string; path: string; value: string }[] = modelParams.defaults;
const paths: readonly string[] = [...new Set(modelParams.matrix.map(({ path }) => path))];

/** How V4 modelParams reach the model provider. */
export const providerParamChecks: readonly Check[] = [
  check('V4-PARAMS-28', { needs: providerNeeds('v4') }, (t) =>
    judgeCells(
      t,
      ({ option }) => option === 'param',
      ({ cell }) => carries(cell.path, cell.value),
    ),
  ),
  check('V4-PARAMS-29', { needs: providerNeeds('v4') }, async (t) => {
    const seen = await seenTasks(t, isAbsent);
    await judgeCells(t, isComparable, ({ cell }) => statedDefault(cell) ?? sameAgain(cell, seen));
  }),
  check('V4-PARAMS-30', { needs: providerNeeds('v4') }, (t) =>
    judgeCells(
      t,
      ({ option, model }) => option === 'absent' && defaults.some((row) => row.model === model),
      ({ cell }) => statedDefault(cell),
    ),
  ),
  check('V4-PARAMS-31', { needs: providerNeeds('v4') }, (t) =>
    judgeCells(
      t,
      ({ option }) => option === 'empty',
      () => nothing,
    ),
  ),
  check(
    'V4-PARAMS-32',
    { needs: (target) => [target.providerStub === null ? providerRuns : providerKeys] },
    async (t) => {
      const { pairs } = await t.recording(providerKeys);
      for (const pair of pairs) comparePair(t, pair);
      t.cellTotal(pairs.length, 'a request reached no provider, or carried the other key');
    },
  ),
];

function isAbsent({ option }: ProviderCell): boolean {
  return option === 'absent';
}

// The first of two equal requests is what the second one is compared with.
function isComparable(cell: ProviderCell): boolean {
  const isAgain = providerCells.v4.some(
    ({ option, model, index }) => option === 'absent' && model === cell.model && index < cell.index,
  );
  return isAbsent(cell) && (isAgain || statedDefault(cell) !== undefined);
}

function statedDefault({ model }: ProviderCell): Expectation | undefined {
  const row = defaults.find((one) => one.model === model);
  return row === undefined ? undefined : carries(row.path, row.value);
}

// Which default a model has is stated of one only; of the others, that it is one.
function sameAgain(cell: ProviderCell, seen: readonly ProviderSeen[]): Expectation | undefined {
  const other = seen.find((one) => one.cell.model === cell.model && one.cell.index < cell.index);
  const [call] = other === undefined ? [] : agentCalls(other);
  if (call === undefined) return undefined;
  return {
    want: `what the same request had before: ${shownControls(call)}`,
    holds: (again) => depthOf(again) === depthOf(call),
    show: shownControls,
  };
}

const nothing: Expectation = {
  want: 'no reasoning control',
  holds: (call) => paths.every((path) => valueAt(call, path) === undefined),
  show: shownControls,
};

function comparePair(t: CheckContext, { own, service }: { own: ProviderSeen; service: ProviderSeen }): void {
  const [ours] = agentCalls(own).filter(({ ownKeyOf }) => ownKeyOf !== null);
  const [theirs] = agentCalls(service).filter(({ ownKeyOf }) => ownKeyOf === null);
  if (ours === undefined || theirs === undefined) return;
  const differing = paths.filter((path) => valueAt(ours, path) !== valueAt(theirs, path));
  t.expect(differing.length === 0, {
    cell: own.cell.key,
    exchange: own.told,
    member: '/calls/0/body',
    message: `${own.cell.key}: with the customer's provider key the request has ${shownControls(ours)}, with the service's ${shownControls(theirs)}; expected the same`,
  });
}
