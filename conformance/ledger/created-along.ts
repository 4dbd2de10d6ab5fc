import type { RequestSpec } from '../core/request.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonValue, identifier, isJsonObject, memberAt } from '../core/json.ts';
import type { LedgerEntry } from '../core/ledger.ts';

/** One thing that nobody asked for by itself. */
export type CreatedAlong = Pick<LedgerEntry, 'kind' | 'generation'> & { id: string };

/**
 * What a creation has made beside the thing that was asked for: a run without a session makes one, and without a workspace one too
 * (companion 8, R1). What a request names is somebody else's, and none of it.
 */
export function createdAlong({ generation, operation, body }: RequestSpec, exchange: Exchange): CreatedAlong[] {
  if (generation !== 'v4' || operation !== 'createRun' || !succeeded(exchange) || named(body, 'sessionId')) return [];
  const [session, workspace] = ['sessionId', 'workspaceId'].map((name) => identifier(memberAt(exchange.json, name)));
  return [
    ...(session === undefined ? [] : [{ kind: 'session', generation, id: session } as const]),
    ...(workspace === undefined || named(body, 'workspaceId')
      ? []
      : [{ kind: 'workspace', generation, id: workspace } as const]),
  ];
}

function named(body: JsonValue | undefined, member: string): boolean {
  const value = isJsonObject(body) ? body[member] : undefined;
  return value !== undefined && value !== null;
}
