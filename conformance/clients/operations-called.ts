import { operations } from '#generated/operations.ts';
import { clientFacts } from '#generated/client-facts.ts';
import type { CalledOperation, RequestKind } from './recording.ts';
import type { ClientVersion } from './trial.ts';

/** Kind and operation of a request. */
export interface CalledRequest {
  readonly kind: RequestKind;
  readonly operation: CalledOperation | undefined;
}

const kinds: Readonly<Record<string, RequestKind>> = {
  'v2 createTask': 'create',
  'v3 createSession': 'create',
  'v4 createRun': 'create',
  'v2 getTask': 'poll',
  'v2 getTaskStatus': 'poll',
  'v3 getSession': 'poll',
  'v4 getRun': 'poll',
  'v4 getRunStatus': 'poll',
  'v2 updateTask': 'stop',
  'v3 stopSession': 'stop',
  'v4 cancelRun': 'stop',
  'v4 listRunEvents': 'events',
  'v3 listSessions': 'list',
  'v4 listRuns': 'list',
  'v4 createBrowser': 'createBrowser',
  'v4 stopBrowser': 'stopBrowser',
  'v3 uploadWorkspaceFiles': 'announce',
  'v4 uploadWorkspaceFiles': 'announce',
  'v3 listWorkspaceFiles': 'listFiles',
  'v4 listWorkspaceFiles': 'listFiles',
  'v3 deleteWorkspaceFile': 'removeFile',
  'v4 deleteWorkspaceFile': 'removeFile',
};

const versions = ['v2', 'v3', 'v4'] as const satisfies readonly ClientVersion[];

/**
 * Returns the kind and the documented operation of a request; the operation is undefined for an undocumented method or
 * path. Ignores empty path segments, which a separate rule judges.
 */
export function calledRequest(method: string, target: string): CalledRequest {
  const path = (/^[^?#]*/.exec(target)?.[0] ?? '').replaceAll(/\/{2,}/g, '/');
  const version = versions.find((candidate) => path.startsWith(`${clientFacts.prefixes[candidate]}/`));
  if (version === undefined) return { kind: fileKind(method), operation: undefined };
  const segments = splitPath(path.slice(clientFacts.prefixes[version].length));
  const found = operations.find(
    (row) => row.version === version && row.method === method.toLowerCase() && fits(splitPath(row.path), segments),
  );
  if (found === undefined) return { kind: 'other', operation: undefined };
  const at = splitPath(found.path).findLastIndex((segment) => segment.startsWith('{'));
  const operation = { id: found.id, version, target: segments[at] ?? '' };
  return { kind: kinds[`${version} ${found.id}`] ?? 'other', operation };
}

function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, at) => part.startsWith('{') || part === segments[at]);
}

/** Returns the kind of a request outside the API; the method distinguishes uploads and downloads. */
function fileKind(method: string): RequestKind {
  if (method === 'GET') return 'download';
  return method === 'PUT' || method === 'POST' ? 'upload' : 'other';
}
