import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt } from '../../core/json.ts';
import { notOffered, type OperationKey } from '../../core/operations.ts';
import { uniqueText } from '../../core/text.ts';

/** A refused change, and the resource before and after it. */
export interface RefusedChange {
  operation: OperationKey;
  before: Exchange;
  refusal: Exchange;
  after: Exchange;
}

interface Change {
  operation: OperationKey;
  look: OperationKey;
  of: 'profile' | 'workspace';
  body: JsonObject;
}

/**
 * Invalid changes, most of them with a valid part beside the invalid one. A target that applies the valid part has
 * changed the resource.
 */
const changes: readonly Change[] = [
  ...(['v2', 'v3', 'v4'] as const).map(
    (generation): Change => ({
      operation: `${generation}.updateProfile`,
      look: `${generation}.getProfile`,
      of: 'profile',
      body: { name: 'svc-check half a change', userId: { unexpected: 'value' } },
    }),
  ),
  ...(['v3', 'v4'] as const).flatMap((generation): Change[] => [
    {
      operation: `${generation}.updateWorkspace`,
      look: `${generation}.getWorkspace`,
      of: 'workspace',
      body: { name: { unexpected: 'value' } },
    },
    {
      operation: `${generation}.uploadWorkspaceFiles`,
      look: `${generation}.listWorkspaceFiles`,
      of: 'workspace',
      body: {
        files: [
          { name: 'half.txt', size: 4 },
          { name: '', size: 4 },
        ],
      },
    },
  ]),
];

const makers = {
  profile: ['v3.createProfile', 'v4.createProfile', 'v2.createProfile'],
  workspace: ['v4.createWorkspace', 'v3.createWorkspace'],
} as const;

/**
 * Creates a profile and a workspace. Records the resource before and after each refused change; omits changes that were
 * not refused.
 */
export const refusedChanges: Scenario<RefusedChange[]> = {
  name: 'refused-changes',
  creates: 'a profile and a workspace, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: async (context) => {
    const ids = { profile: await make(context, 'profile'), workspace: await make(context, 'workspace') };
    const results: RefusedChange[] = [];
    for (const { operation, look, of, body } of changes) {
      const id = ids[of];
      if (id === undefined || ![operation, look].every((key) => context.operations.offers(key))) continue;
      const see = (): Promise<Exchange> => context.operations.call(look, { path: [id] });
      const before = await see();
      const refusal = await context.operations.call(operation, { path: [id], body, invalid: true });
      if (refused(refusal) && succeeded(before)) results.push({ operation, before, refusal, after: await see() });
    }
    return results;
  },
};

async function make(
  { operations, ...parts }: ScenarioContext,
  kind: 'profile' | 'workspace',
): Promise<string | undefined> {
  const key = makers[kind].find((name) => operations.offers(name));
  if (key === undefined) return undefined;
  const made = await operations.create(kind, key, { body: { name: uniqueText(parts, `unchanged ${kind}`) } });
  return succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
}
