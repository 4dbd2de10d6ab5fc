import { modelParams } from '#generated/rules.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { providerKeys, providerRuns, type ProviderSeen } from './scenarios.ts';
import { type ProviderCell, providerCells } from './cells.ts';
import {
  agentCalls,
  carries,
  readDepth,
  expectTask,
  type Expectation,
  judgeCells,
  providerNeeds,
  seenTasks,
  shownControls,
  valueAt,
} from './recorded-calls.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';

const defaults: readonly { model: string; path: string; value: string }[] = modelParams.defaults;
const paths: readonly string[] = [...new Set(modelParams.matrix.map(({ path }) => path))];

/** Checks of how V4 modelParams reach the model provider. */
export const providerParamChecks: readonly Check[] = [
  check('V4-PARAMS-28', { needs: providerNeeds('v4') }, (t) =>
    judgeCells(
      t,
      ({ option }) => option === 'param',
      ({ cell: { beside = [], ...cell } }) => carriesAll([cell, ...beside]),
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
  check('V4-PARAMS-32', { needs: pairNeeds }, async (t) => {
    const { pairs } = await t.recording(providerKeys);
    for (const pair of pairs) comparePair(t, pair);
    t.cellTotal(pairs.length, 'a request reached no provider, or carried the other key');
  }),
];

/** Returns the expectation that a request has each of these values at its path. */
function carriesAll(values: readonly { path: string; value: string }[]): Expectation {
  const all = values.map(({ path, value }) => carries(path, value));
  return {
    want: all.map(({ want }) => want).join(' and '),
    holds: (call) => all.every(({ holds }) => holds(call)),
    describe: shownControls,
  };
}

/**
 * Returns the scenario that compares runs of two projects. Without a stub, returns a scenario of one project, which
 * reports why no request can be observed.
 */
function pairNeeds({ providerStub }: Target): AnyScenario[] {
  return [providerStub === null ? providerRuns : providerKeys];
}

function isAbsent({ option }: ProviderCell): boolean {
  return option === 'absent';
}

/** Returns true for a cell that is compared with an earlier equal request, or whose default is documented. */
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

/**
 * Returns the expectation that a request has the same default as an earlier equal request. Undefined without such an
 * earlier request.
 */
function sameAgain(cell: ProviderCell, seen: readonly ProviderSeen[]): Expectation | undefined {
  const other = seen.find((one) => one.cell.model === cell.model && one.cell.index < cell.index);
  const [call] = other === undefined ? [] : agentCalls(other);
  if (call === undefined) return undefined;
  return {
    want: `what the same request had before: ${shownControls(call)}`,
    holds: (again) => readDepth(again) === readDepth(call),
    describe: shownControls,
  };
}

const nothing: Expectation = {
  want: 'no reasoning control',
  holds: (call) => paths.every((path) => valueAt(call, path) === undefined),
  describe: shownControls,
};

function comparePair(t: CheckContext, { own, service }: { own: ProviderSeen; service: ProviderSeen }): void {
  const [ours] = agentCalls(own).filter(({ ownKeyOf }) => ownKeyOf !== null);
  const [theirs] = agentCalls(service).filter(({ ownKeyOf }) => ownKeyOf === null);
  if (ours === undefined || theirs === undefined) return;
  const differing = paths.filter((path) => valueAt(ours, path) !== valueAt(theirs, path));
  t.expect(differing.length === 0, {
    cell: own.cell.key,
    exchange: own.record,
    member: '/calls/0/body',
    message: `${own.cell.key}: with the customer's provider key the request has ${shownControls(ours)}, with the service's ${shownControls(theirs)}; expected the same`,
  });
}

/** Checks of provider keys and routes, of the V2 switch `thinking`, and of whether providers accept the requests. */
export const providerRouteChecks: readonly Check[] = [
  check('BYOK-01', { needs: providerNeeds('v2') }, async (t) => {
    const plain = await seenTasks(t, ({ option }) => option === 'absent');
    await judgeCells(t, isTraced, ({ cell }) => {
      const [before] = plain.filter((one) => one.cell.model === cell.model).flatMap((one) => agentCalls(one));
      return before === undefined ? undefined : sameRoute(before);
    });
  }),
  check('V3-MODEL-09', { needs: providerNeeds('v3') }, (t) => usesStoredKey(t, ({ option }) => option === 'ownKey')),
  check('BYOK-03', { needs: providerNeeds('v4') }, (t) =>
    usesStoredKey(t, ({ generation, option }) => generation === 'v4' && option !== 'flag'),
  ),
  check('BYOK-04', { needs: providerNeeds('v4') }, async (t) => {
    const isFlag = ({ option }: ProviderCell): boolean => option === 'flag';
    const seen = await seenTasks(t, isFlag);
    // A target that refuses the unknown member has no flag `useOwnKey` in V4.
    if (seen.some(({ created }) => succeeded(created))) return usesStoredKey(t, isFlag);
    for (const { cell, created } of seen)
      t.expect(refused(created), {
        cell: cell.key,
        exchange: created,
        message: `${cell.key} ${describeAnswer(created)}; expected that the unknown member is ignored or refused`,
      });
    if (seen.length === 0) t.notTestable('no run with useOwnKey was drawn');
    t.cellTotal(seen.length, 'a run answered no status');
  }),
  check('AUTH-08', { needs: pairNeeds }, async (t) => {
    const { pairs } = await t.recording(providerKeys);
    for (const { own, service } of pairs) {
      expectTask(t, own, carriesOwnKey(own.cell.provider));
      expectTask(t, service, carriesNoOwnKey);
    }
    t.cellTotal(pairs.length, 'no request reached a provider');
  }),
  check('V2-TASK-06', { needs: providerNeeds('v2') }, async (t) => {
    const isSwitch = ({ option }: ProviderCell): boolean => option === 'switch';
    const seen = await seenTasks(t, isSwitch);
    await judgeCells(t, isSwitch, (one) => sameDepth(one, seen));
  }),
  check('PROVIDER-01', { needs: providerNeeds('v2', 'v3', 'v4') }, async (t) => {
    for (const one of await seenTasks(t, () => true)) judgeRequests(t, one);
  }),
];

/** Returns true for a cell with a level. Excludes legacy names whose level may select another model. */
function isTraced({ option, model }: ProviderCell): boolean {
  return option === 'level' && providerCells.v2.some((cell) => cell.option === 'absent' && cell.model === model);
}

function sameRoute(before: ProviderCall): Expectation {
  const describePlace = ({ path, key }: ProviderCall): string => `${path} with ${key === '' ? 'no key' : key}`;
  return {
    want: `the route of the same model without thinkingLevel, ${describePlace(before)}, and no key of the caller`,
    holds: (call) => describePlace(call) === describePlace(before) && call.ownKeyOf === null,
    describe: (call) =>
      `${describePlace(call)}${call.ownKeyOf === null ? '' : `, the caller's own for ${call.ownKeyOf}`}`,
  };
}

/** Judges that the requests of the selected cells carry the stored key, for models whose provider has a stored key. */
function usesStoredKey(t: CheckContext, isInScope: (cell: ProviderCell) => boolean): Promise<void> {
  const endings = t.target.providerStub?.ownKeyEndings ?? {};
  return judgeCells(
    t,
    (cell) => isInScope(cell) && endings[cell.provider] !== undefined,
    ({ cell }) => carriesOwnKey(cell.provider),
  );
}

const carriesNoOwnKey: Expectation = {
  want: 'a key of the service, because this project has stored none',
  holds: ({ ownKeyOf }) => ownKeyOf === null,
  describe: ({ key, ownKeyOf }) =>
    ownKeyOf === null ? key : `the key that another project has stored for ${ownKeyOf}`,
};

function carriesOwnKey(provider: string): Expectation {
  return {
    want: `the key that the caller has stored for ${provider}`,
    holds: ({ ownKeyOf }) => ownKeyOf === provider,
    describe: ({ key }) => (key === '' ? 'no key' : `another key (${key})`),
  };
}

/**
 * Returns the expectation that a task has the same depth of thinking as the task with the opposite switch. The switch
 * may turn thinking on or off.
 */
function sameDepth({ cell, calls }: ProviderSeen, seen: readonly ProviderSeen[]): Expectation | undefined {
  const others = seen.filter((one) => one.cell.model === cell.model && one.cell !== cell);
  const [other] = others.flatMap((one) => agentCalls(one));
  if (other === undefined || calls.length === 0) return undefined;
  return {
    want: `the depth of the same task with the switch the other way: ${shownControls(other)}`,
    holds: (call) => readDepth(call) === readDepth(other),
    describe: shownControls,
  };
}

function judgeRequests(t: CheckContext, { cell, record, calls }: ProviderSeen): void {
  for (const [at, { breaches: violations }] of calls.entries()) {
    t.expect(violations.length === 0, {
      cell: cell.key,
      exchange: record,
      member: `/calls/${at}`,
      message: `${cell.key}: the provider would refuse request ${at + 1} of the task: ${violations.join('; ')}; expected a request that conforms to its documents`,
    });
  }
}
