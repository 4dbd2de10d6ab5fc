import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { ProviderCall } from '../../provider-stub/index.ts';
import { type ProviderCell, providerCells } from './cells.ts';
import type { ProviderSeen } from './scenarios-part-provider-task.ts';
import { depthOf, shownControls } from './checks-part-provider-controls.ts';
import { type Expectation, agentCalls, judgeCells, providerNeeds, seenTasks } from './checks-part-provider-seen.ts';

/** Which provider key and which route a request takes, what the legacy switch leaves alone, and whether providers take what they get. */
export const providerRouteChecks: readonly Check[] = [
  check('BYOK-01', { needs: providerNeeds('v2') }, async (t) => {
    const plain = await seenTasks(t, ({ option }) => option === 'absent');
    await judgeCells(t, isTraced, ({ cell }) => {
      const [before] = plain.filter((one) => one.cell.model === cell.model).flatMap((one) => agentCalls(one));
      return before === undefined ? undefined : sameRoute(before);
    });
  }),
  check('V3-MODEL-09', { needs: providerNeeds('v3') }, (t) =>
    judgeCells(
      t,
      ({ option }) => option === 'ownKey',
      ({ cell }) => {
        const ending = t.target.providerStub?.ownKeyEndings[cell.provider];
        return ending === undefined ? undefined : carriesOwnKey(cell.provider);
      },
    ),
  ),
  check('V2-TASK-06', { needs: providerNeeds('v2') }, async (t) => {
    const isSwitch = ({ option }: ProviderCell): boolean => option === 'switch';
    const seen = await seenTasks(t, isSwitch);
    await judgeCells(t, isSwitch, (one) => sameDepth(one, seen));
  }),
  check('PROVIDER-01', { needs: providerNeeds('v2', 'v3', 'v4') }, async (t) => {
    for (const one of await seenTasks(t, () => true)) judgeRequests(t, one);
  }),
];

// A level of a legacy name may lead to another model.
function isTraced({ option, model }: ProviderCell): boolean {
  return option === 'level' && providerCells.v2.some((cell) => cell.option === 'absent' && cell.model === model);
}

function sameRoute(before: ProviderCall): Expectation {
  const placeOf = ({ path, key }: ProviderCall): string => `${path} with ${key === '' ? 'no key' : key}`;
  return {
    want: `the route of the same model without thinkingLevel, ${placeOf(before)}, and no key of the caller`,
    holds: (call) => placeOf(call) === placeOf(before) && call.ownKeyOf === null,
    show: (call) => `${placeOf(call)}${call.ownKeyOf === null ? '' : `, the caller's own for ${call.ownKeyOf}`}`,
  };
}

function carriesOwnKey(provider: string): Expectation {
  return {
    want: `the key that the caller has stored for ${provider}`,
    holds: ({ ownKeyOf }) => ownKeyOf === provider,
    show: ({ key }) => (key === '' ? 'no key' : `another key (${key})`),
  };
}

// The switch stands for how the agent behaves: whether it thinks at all may follow from it, but not how deeply.
function sameDepth({ cell, calls }: ProviderSeen, seen: readonly ProviderSeen[]): Expectation | undefined {
  const others = seen.filter((one) => one.cell.model === cell.model && one.cell !== cell);
  const [other] = others.flatMap((one) => agentCalls(one));
  if (other === undefined || calls.length === 0) return undefined;
  return {
    want: `the depth of the same task with the switch the other way: ${shownControls(other)}`,
    holds: (call) => depthOf(call) === depthOf(other),
    show: shownControls,
  };
}

function judgeRequests(t: CheckContext, { cell, told, calls }: ProviderSeen): void {
  for (const [at, { breaches }] of calls.entries()) {
    t.expect(breaches.length === 0, {
      cell: cell.key,
      exchange: told,
      member: `/calls/${at}`,
      message: `${cell.key}: the provider would refuse request ${at + 1} of the task: ${breaches.join('; ')}`,
    });
  }
}
