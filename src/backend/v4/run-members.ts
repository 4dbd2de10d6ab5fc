import type { components } from '#generated/v4.ts';
import { isJsonObject } from '#domain/json.ts';
import type { FollowUp } from '../engine/follow-up.ts';
import { secretBindings } from './secret-bindings.ts';

type CreateRun = components['schemas']['CreateRun'];

/** What a run keeps for itself and no later one inherits: its secrets and the schema of its output (companion 7.2). */
export function ownMembers(body: CreateRun): Required<Pick<FollowUp, 'secrets' | 'runSettings'>> {
  const { outputSchema } = body;
  return { secrets: secretBindings(body), runSettings: isJsonObject(outputSchema) ? { outputSchema } : {} };
}
