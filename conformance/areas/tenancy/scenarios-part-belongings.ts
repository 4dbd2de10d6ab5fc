import { type IdPlace, pathParameters, placeName } from '../../core/id-places.ts';
import { operationRow } from '../../core/operations.ts';

/** What a project can have that requests name by an id. */
export type Belonging =
  | 'profile'
  | 'workspace'
  | 'browser'
  | 'v2Session'
  | 'v2Task'
  | 'v3Session'
  | 'v4Session'
  | 'v4Run'
  | 'v4Message';

/** Ids of what a project has. */
export type Belongings = Partial<Readonly<Record<Belonging, string>>>;

const noOwnBeside = 'it is read beside an id of the same project alone, and another project is refused that one';
const capability = 'what it opens is judged by its signed address, which needs no key on purpose';

/** Places that another project does not try, each with its reason. */
export const untried: Readonly<Record<string, string>> = {
  'v2.getOutputFile': `${noOwnBeside}; that a task of another project has no files is v2.getTask. ${capability}`,
  'v3.listMessages query after': noOwnBeside,
  'v3.listMessages query before': noOwnBeside,
  'v4.createMessage body attachedFileIds': 'an unknown file is no refusal, so it costs a run of the other project',
  'v4.createRun body attachedFileIds': 'an unknown file is no refusal, so it costs a run of the other project',
  'v4.listBrowserDownloads query cursor': 'only a browser that has downloaded several files hands out a cursor',
};

/** Which things of a project a place names, in the order of its parameters; undefined where nobody tries. */
export function belongingsAt(place: IdPlace): Belonging[] | undefined {
  if (untried[placeName(place)] !== undefined || place.name === 'cursor') return undefined;
  const { path, generation } = operationRow(place.operation);
  const names = place.where === 'path' ? pathParameters(path) : [place.name.split('.').at(-1) ?? ''];
  return names.map((name) => {
    if (path.startsWith('/files/browsers') || path.startsWith('/browsers/')) return 'browser';
    const found = named[name];
    if (found === undefined) throw new Error(`${placeName(place)}: no thing of a project is known by ${name}`);
    return typeof found === 'string' ? found : found[generation];
  });
}

const sessions = { v2: 'v2Session', v3: 'v3Session', v4: 'v4Session' } as const;

const named: Readonly<Record<string, Belonging | typeof sessions>> = {
  profile_id: 'profile',
  profileId: 'profile',
  workspace_id: 'workspace',
  workspaceId: 'workspace',
  session_id: sessions,
  sessionId: sessions,
  agentSessionId: 'v4Session',
  task_id: 'v2Task',
  run_id: 'v4Run',
  message_id: 'v4Message',
};
