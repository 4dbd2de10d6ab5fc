import type { ResourceKind } from '../core/ledger.ts';
import { offeredEndpoint } from '../core/operations.ts';
import type { Generation, OperationTarget, Target } from '../core/target.ts';

/** Returns the path of the resource's id in the response to a creation. */
export function idMember(target: Target, kind: ResourceKind, generation: Generation): string {
  if (kind === 'session' && generation === 'v3') return target.v3?.idIn ?? 'id';
  return kind === 'task' ? (target.v2?.idIn ?? 'id') : 'id';
}

const stopAction = { action: 'stop' };

/** For each kind of resource, returns the operation that ends it; null if the target offers none. */
export const stopOperations: Record<ResourceKind, (target: Target, generation: Generation) => OperationTarget | null> =
  {
    session: (target, generation) => sessionEnds[generation](target),
    task: (target) => target.v2?.stopTask ?? null,
    run: (target) => target.v4?.cancelRun ?? null,
    browser: () => ({ method: 'PATCH', path: '/browsers/{id}', body: stopAction }),
    // Profiles and workspaces end when they are deleted.
    profile: (target, generation) => offeredEndpoint(target, `${generation}.deleteProfile`),
    workspace: (target, generation) =>
      offeredEndpoint(target, generation === 'v3' ? 'v3.deleteWorkspace' : 'v4.deleteWorkspace'),
  };

const sessionEnds: Record<Generation, (target: Target) => OperationTarget | null> = {
  v2: stopSessionV2,
  v3: (target) => target.v3?.stop ?? null,
  // A V4 session has no stop of its own: its runs are cancelled, and it is deleted.
  v4: (target) => offeredEndpoint(target, 'v4.deleteSession'),
};

function stopSessionV2(target: Target): OperationTarget | null {
  const place = offeredEndpoint(target, 'v2.updateSession');
  return place === null ? null : { body: stopAction, ...place };
}

/** Returns the name that a recording uses for the stop operation. */
export function stopName(kind: ResourceKind, generation: Generation): string {
  return kind === 'session' && generation === 'v4' ? 'deleteSession' : stopNames[kind];
}

const stopNames: Record<ResourceKind, string> = {
  session: 'stopSession',
  task: 'stopTask',
  run: 'stopRun',
  browser: 'stopBrowser',
  profile: 'deleteProfile',
  workspace: 'deleteWorkspace',
};
