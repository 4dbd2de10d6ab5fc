import { operations } from '#generated/operations.ts';
import { type Answer, createApiClient } from './api-client.ts';
import { type ProjectResources, filePath } from './tenancy-world.ts';
import { type Listed, exampleBody } from './uuid-places.ts';

/** Unassigned id in the UUID format of the documents. */
export const nobodys = '00000000-0000-4000-8000-000000000000';
/** Unassigned id of a record whose id is not a UUID. */
export const nothing: Partial<ProjectResources> = { v4Message: '9007199254740991' };

/** The operations with an id in their path. */
export const withIds = operations.filter(({ path }) => path.includes('{'));

/** Returns generation and id of an operation. */
export const formatOperation = ({ version, id }: Listed): string => `${version} ${id}`;

/**
 * For each path parameter, a function that returns the kind of record whose id an operation expects in the parameter.
 */
const things: Record<string, (operation: Listed) => keyof ProjectResources> = {
  session_id: ({ version, path }) => (path.startsWith('/files/browsers') ? 'browser' : `${version}Session`),
  workspace_id: ({ version }) => (version === 'v3' ? 'v3Workspace' : 'v4Workspace'),
  task_id: () => 'v2Task',
  file_id: () => 'v2File',
  run_id: () => 'v4Run',
  message_id: () => 'v4Message',
  profile_id: () => 'profile',
  id: () => 'browser',
};

/**
 * Returns the path of an operation with these ids; null selects ids without a record. Throws for an unknown parameter.
 */
export function buildPath(operation: Listed, ids: ProjectResources | null): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const thing = things[name]?.(operation);
    if (thing === undefined) throw new Error(`${operation.path}: no thing of ours has the parameter ${name}`);
    return ids?.[thing] ?? nothing[thing] ?? nobodys;
  });
  if (operation.id !== 'deleteWorkspaceFile') return path;
  return `${path}?path=${filePath[operation.version === 'v3' ? 'v3' : 'v4']}`;
}

/** URL and key of calls. */
export interface Calling {
  readonly address: string;
  readonly key: string;
}

/** Calls an operation with these ids and with the example body of its document. Null selects ids without a record. */
export function callOperation(
  { address, key }: Calling,
  operation: Listed,
  ids: ProjectResources | null,
): Promise<Answer> {
  const api = createApiClient(address, key, operation.version);
  return api.call(operation.method.toUpperCase(), buildPath(operation, ids), exampleBody(operation));
}

/**
 * Calls every GET operation that has an id in its path. Returns the name and the response of each operation. Costs,
 * megabytes and queries of URLs are removed, because they change between reads.
 */
export function collectResponses(calling: Calling, ids: ProjectResources): Promise<[string, string][]> {
  const shown = async (read: Listed): Promise<[string, string]> => {
    const { status, body } = await callOperation(calling, read, ids);
    const text = JSON.stringify(body, (member, value: unknown) => (/cost|Mb$/i.test(member) ? null : value));
    return [formatOperation(read), `${status} ${text.replaceAll(/\?[^"]*/g, '')}`];
  };
  return Promise.all(withIds.filter(({ method }) => method === 'get').map(shown));
}
