import type { Exchange } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { uniqueText } from '../../core/text.ts';
import { settleAll } from '../../core/outcome.ts';
import { sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

/** A member that no document of the API has. */
export const unknownMember = { svcCheckUnknown: true };

/** Requests with an unknown member that must be accepted. */
export interface Tolerated {
  exchanges: Exchange[];
}

const stored: readonly (readonly ['profile' | 'workspace', OperationKey, OperationKey])[] = [
  ['profile', 'v2.createProfile', 'v2.updateProfile'],
  ['profile', 'v3.createProfile', 'v3.updateProfile'],
  ['workspace', 'v3.createWorkspace', 'v3.updateWorkspace'],
];

/**
 * Creates and updates profiles of V2 and V3 and workspaces of V3, with an unknown member in each body. Records the
 * answers.
 */
export const toleratedStorage: Scenario<Tolerated> = {
  name: 'unknown-members-stored',
  creates: 'two profiles and a workspace, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: async (context) => {
    const offered = stored.filter((keys) => [keys[1], keys[2]].every((key) => context.operations.offers(key)));
    const pairs = await settleAll(offered.map((keys) => makeAndChange(context, keys)));
    return { exchanges: pairs.flat() };
  },
};

/** Creates a V2 task and a V3 session with an unknown member. Records the answers. */
export const toleratedTasks: Scenario<Tolerated> = {
  name: 'unknown-members',
  creates: 'one V2 task and one V3 session, which are ended at once',
  spend: 'task',
  dispatches: 2,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: (context) =>
    context.live(async () => {
      const { operations, target } = context;
      const exchanges: Exchange[] = [];
      if (operations.offers('v2.createTask')) {
        const body = { ...taskProbe(), ...unknownMember };
        exchanges.push((await operations.trial('task', 'v2.createTask', { body })).exchange);
      }
      if (operations.offers('v3.createSession')) {
        const body = { ...sessionProbe(target), ...unknownMember };
        exchanges.push((await operations.trial('session', 'v3.createSession', { body })).exchange);
      }
      return { exchanges };
    }),
};

async function makeAndChange(
  context: ScenarioContext,
  [kind, create, update]: (typeof stored)[number],
): Promise<Exchange[]> {
  const { operations } = context;
  const body = { name: uniqueText(context, 'unknown member'), ...unknownMember };
  const made = await operations.create(kind, create, { body });
  const path = [identifier(memberAt(made.json, 'id')) ?? 'unknown'];
  return [made, await operations.call(update, { path, body })];
}
