import { operations } from '#generated/operations.ts';
import { type Answer, createApiClient } from './api-client.ts';
import { type Belongings, filePath } from './tenancy-world.ts';
import { type Listed, exampleBody } from './uuid-places.ts';

/** Ids that nobody has, in the forms that the documents want. */
export const nobodys = '00000000-0000-4000-8000-000000000000';
/** What stands in for a thing whose id is no uuid. */
export const nothing: Partial<Belongings> = { v4Message: '9007199254740991' };

/** The operations with an id in their path. */
export const withIds = operations.filter(({ path }) => path.includes('{'));

/** Generation and id of an operation. */
export const nameOf = ({ version, id }: Listed): string => `${version} ${id}`;

/** Which thing of a project a parameter of a path names. */
const things: Record<string, (operation: Listed) => keyof Belongings> = {
  session_id: ({ version, path }) => (path.startsWith('/files/browsers') ? 'browser' : `${version}Session`),
  workspace_id: ({ version }) => (version === 'v3' ? 'v3Workspace' : 'v4Workspace'),
  task_id: () => 'v2Task',
  file_id: () => 'v2File',
  run_id: () => 'v4Run',
  message_id: () => 'v4Message',
  profile_id: () => 'profile',
  id: () => 'browser',
};

/** The path of an operation with these ids in it, or with ids that nobody has. Throws for a parameter that names nothing known. */
export function pathOf(operation: Listed, ids: Belongings | null): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const thing = things[name]?.(operation);
    if (thing === undefined) throw new Error(`${operation.path}: no thing of ours has the parameter ${name}`);
    return ids?.[thing] ?? nothing[thing] ?? nobodys;
  });
  if (operation.id !== 'deleteWorkspaceFile') return path;
  return `${path}?path=${filePath[operation.version === 'v3' ? 'v3' : 'v4']}`;
}

/** Whom to call, with which key. */
export interface Calling {
  readonly address: string;
  readonly key: string;
}

/** Calls an operation as its document shows it, with these ids. */
export function callOperation({ address, key }: Calling, operation: Listed, ids: Belongings | null): Promise<Answer> {
  const api = createApiClient(address, key, operation.version);
  return api.call(operation.method.toUpperCase(), pathOf(operation, ids), exampleBody(operation));
}

/** Everything that reads of these ids show, without what every fetch makes anew and what time alone changes. */
export function seenOf(calling: Calling, ids: Belongings): Promise<[string, string][]> {
  const shown = async (read: Listed): Promise<[string, string]> => {
    const { status, body } = await callOperation(calling, read, ids);
    const text = JSON.stringify(body, (member, value: unknown) => (/cost|Mb$/i.test(member) ? null : value));
    return [nameOf(read), `${status} ${text.replaceAll(/\?[^"]*/g, '')}`];
  };
  return Promise.all(withIds.filter(({ method }) => method === 'get').map(shown));
}
