import type { components } from '#generated/v4.ts';
import { isJsonObject } from '#lib/json.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import { secretBindings } from './secret-bindings.ts';

type CreateRun = components['schemas']['CreateRun'];

/** What a run keeps for itself and no later one inherits: its secrets, the schema of its output and its judge (companion 7.2). */
export function ownMembers(body: CreateRun): Required<Pick<FollowUp, 'secrets' | 'runSettings'>> {
  const { outputSchema, judge } = body;
  const runSettings = {
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(judge === null || judge === undefined ? {} : { judge: { context: judge.context ?? null } }),
  };
  return { secrets: secretBindings(body), runSettings };
}
