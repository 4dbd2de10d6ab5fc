import type { RequirementId } from '#generated/requirements.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { otherKey, testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { type At, at, readBody, isAt } from '../operation-tampers.ts';
import { leaks } from '../tampers.ts';

/** Returns whether a request carries the key of the other project. */
export const isForeign = ({ headers }: Seen): boolean => headers['x-service-api-key'] === otherKey;

/** Performs requests of the other project with our key, so that they succeed. */
const open = (place: At): Tamper => leaks(testKey, otherKey, (seen) => isAt(place, seen));

/** Performs requests of the other project with our key, but answers 404. */
function silently(place: At): Tamper {
  return {
    ...open(place),
    answer: (seen) =>
      isForeign(seen) && isAt(place, seen) ? { status: 404, body: { detail: 'Not Found' } } : undefined,
  };
}

/**
 * Performs requests of the other project with our key. Answers successes with 403 and a message that reveals parts of
 * the record.
 */
function forbids(place: At, tell: (body: JsonObject) => string): Tamper {
  return {
    ...open(place),
    answer: (seen, { status, body }) =>
      isForeign(seen) && isAt(place, seen) && status < 300
        ? { status: 403, body: { detail: tell(isJsonObject(body) ? body : {}) } }
        : undefined,
  };
}

const forbidden = (place: At): Tamper => forbids(place, () => 'Forbidden');

/** Adds one to the total of a list in answers to the other project. */
function miscounts(path: string, total: string): Tamper {
  return {
    answer: (seen, { status, body }) =>
      isForeign(seen) && isAt(at('GET', path), seen) && status === 200 && isJsonObject(body)
        ? { body: { ...body, [total]: Number(body[total]) + 1 } }
        : undefined,
  };
}

/** In answers to the other project, replaces the items of each page by our latest resource. */
function slipsIn(made: At, list: At, [items, id]: readonly [string, string]): () => Tamper {
  return () => {
    const last: JsonObject[] = [];
    return {
      answer(seen, { status, body }) {
        if (!isJsonObject(body) || status >= 300) return undefined;
        if (!isForeign(seen) && isAt(made, seen)) last.push(body);
        const ours = last.at(-1);
        if (ours === undefined || !isForeign(seen) || !isAt(list, seen)) return undefined;
        return {
          body: { ...body, [items]: [{ ...ours, id: ours[id] ?? null, sessionId: ours['sessionId'] ?? null }] },
        };
      },
    };
  };
}

/** Answers a request of the other project for a list of files with our list, if the request has a cursor. */
function followsCursor(): Tamper {
  let ours = '';
  return {
    request(seen) {
      if (!isAt(at('GET', '/api/v4/workspaces/*/files'), seen)) return undefined;
      if (!isForeign(seen)) ours = seen.url.split('?')[0] ?? '';
      if (!isForeign(seen) || !seen.url.includes('cursor=')) return undefined;
      const query = seen.url.split('?')[1] ?? '';
      return { url: `${ours}?${query}`, headers: { ...seen.headers, 'x-service-api-key': testKey } };
    },
  };
}

const has =
  (member: string) =>
  (seen: Seen): boolean =>
    readBody(seen)[member] !== undefined;

const asks =
  (text: string) =>
  (seen: Seen): boolean =>
    seen.url.includes(text);

type Row = readonly [string, string, RequirementId, Mutant['tamper'], ...RequirementId[]];

const stored: readonly Row[] = [
  ['profile-read', 'V4 shows a profile to another project.', 'KEYS-01', open(at('GET', '/api/v4/profiles/*'))],
  [
    'workspace-size',
    'V3 returns the size of the workspace of another project.',
    'KEYS-01',
    open(at('GET', '/api/v3/workspaces/*/size')),
  ],
  [
    'files-listed',
    'V4 lists the files in the workspace of another project.',
    'KEYS-01',
    open(at('GET', '/api/v4/workspaces/*/files')),
  ],
  [
    'files-filled',
    'V3 stores a file in the workspace of another project.',
    'KEYS-01',
    open(at('POST', '/api/v3/workspaces/*/files/upload')),
  ],
  [
    'refusal-tells',
    'The error text for another project contains the name of the V3 workspace.',
    'KEYS-01',
    forbids(at('GET', '/api/v3/workspaces/*'), ({ name }) => `No access to ${String(name)}`),
    'KEYS-05',
  ],
  [
    'profile-renamed',
    'V2 renames the profile of another project and answers 404.',
    'KEYS-04',
    silently(at('PATCH', '/api/v2/profiles/*')),
  ],
  [
    'file-deleted',
    'V3 deletes the file of another project and answers 404.',
    'KEYS-04',
    silently(at('DELETE', '/api/v3/workspaces/*/files')),
  ],
  [
    'profile-known',
    'V2 answers 403 for the profile of another project and 404 for an unknown profile.',
    'KEYS-05',
    forbidden(at('PATCH', '/api/v2/profiles/*')),
    'KEYS-04',
  ],
  [
    'profile-on-page-3',
    'Only the third page of V3 profiles shows a profile of another project.',
    'KEYS-03',
    slipsIn(at('POST', '/api/v3/profiles'), at('GET', '/api/v3/profiles', asks('pageNumber=3')), ['items', 'id']),
  ],
  [
    'workspaces-counted',
    'The total of V3 workspaces includes other projects.',
    'KEYS-03',
    miscounts('/api/v3/workspaces', 'totalItems'),
  ],
  [
    'profile-loaded',
    'A V3 session loads the profile of another project.',
    'KEYS-02',
    open(at('POST', '/api/v3/sessions', has('profileId'))),
    'KEYS-04',
  ],
  [
    'workspace-entered',
    'A V4 run works in the workspace of another project.',
    'KEYS-02',
    open(at('POST', '/api/v4/runs', has('workspaceId'))),
  ],
  [
    'settings-profile',
    'A V2 task loads the profile of another project with sessionSettings.',
    'KEYS-02',
    open(at('POST', '/api/v2/tasks', has('sessionSettings'))),
    'KEYS-04',
  ],
  ['cursor-followed', 'The cursor of a V4 list of files is accepted from another project.', 'KEYS-02', followsCursor],
];

const browsers: readonly Row[] = [
  [
    'browser-downloads',
    'The downloads of a browser are shown to another project.',
    'KEYS-11',
    open(at('GET', '/api/v4/browsers/*/downloads')),
  ],
  [
    'browser-form',
    'V2 gives another project an upload form for a file of a browser.',
    'KEYS-11',
    open(at('POST', '/api/v2/files/browsers/*/presigned-url')),
  ],
  [
    'browsers-counted',
    'The total of browsers includes other projects.',
    'KEYS-13',
    miscounts('/api/v4/browsers', 'totalItems'),
  ],
  [
    'browser-stopped',
    'A browser is stopped by another project, which receives 404.',
    'KEYS-14',
    silently(at('PATCH', '/api/v4/browsers/*')),
  ],
  [
    'browser-known',
    'The browser of another project is answered with 403.',
    'KEYS-15',
    forbidden(at('GET', '/api/v4/browsers/*')),
  ],
];

const tasks: readonly Row[] = [
  [
    'share-read',
    'The share of a V2 session is shown to another project.',
    'KEYS-21',
    open(at('GET', '/api/v2/sessions/*/public-share')),
  ],
  [
    'task-status-read',
    'The status of a V2 task is shown to another project.',
    'KEYS-21',
    open(at('GET', '/api/v2/tasks/*/status')),
  ],
  [
    'tasks-of-session',
    'The V2 tasks of a session are listed to another project that sends its id.',
    'KEYS-22',
    open(at('GET', '/api/v2/tasks', asks('sessionId='))),
  ],
  [
    'v2-sessions-counted',
    'The total of V2 sessions includes other projects.',
    'KEYS-23',
    miscounts('/api/v2/sessions', 'totalItems'),
  ],
  [
    'share-deleted',
    'The share of a V2 session is ended by another project, which receives 404.',
    'KEYS-24',
    silently(at('DELETE', '/api/v2/sessions/*/public-share')),
  ],
  [
    'session-busy',
    'A V2 task for the session of another project is refused because the session is busy.',
    'KEYS-25',
    open(at('POST', '/api/v2/tasks', has('sessionId'))),
  ],
];

const sessions: readonly Row[] = [
  [
    'messages-read',
    'The messages of a V3 session are shown to another project.',
    'KEYS-31',
    open(at('GET', '/api/v3/sessions/*/messages')),
  ],
  [
    'followed-up',
    'A V3 session accepts a follow-up of another project.',
    'KEYS-32',
    open(at('POST', '/api/v3/sessions', has('sessionId'))),
    'KEYS-31',
    'KEYS-34',
  ],
  [
    'v3-sessions-counted',
    'The total of V3 sessions includes other projects.',
    'KEYS-33',
    miscounts('/api/v3/sessions', 'total'),
  ],
  [
    'v3-session-deleted',
    'A V3 session is deleted by another project, which receives 404.',
    'KEYS-34',
    silently(at('DELETE', '/api/v3/sessions/*')),
  ],
  [
    'v3-session-known',
    'The V3 session of another project is answered with 403.',
    'KEYS-35',
    forbidden(at('GET', '/api/v3/sessions/*')),
  ],
];

const runs: readonly Row[] = [
  [
    'queue-read',
    'The queue of a V4 session is shown to another project.',
    'KEYS-41',
    open(at('GET', '/api/v4/sessions/*/queue')),
  ],
  [
    'message-read',
    'A message of a V4 queue is shown to another project.',
    'KEYS-41',
    open(at('GET', '/api/v4/sessions/*/queue/*')),
  ],
  [
    'attachments-listed',
    'The attachments of a V4 run are listed to another project.',
    'KEYS-41',
    open(at('GET', '/api/v4/runs/*/attachments')),
  ],
  [
    'runs-of-session',
    'The V4 runs of a session are listed to another project that sends its id.',
    'KEYS-42',
    open(at('GET', '/api/v4/runs', asks('sessionId='))),
  ],
  [
    'run-on-page',
    'Only a large page of V4 runs shows a run of another project.',
    'KEYS-43',
    slipsIn(at('POST', '/api/v4/runs'), at('GET', '/api/v4/runs', asks('limit=100')), ['runs', 'id']),
  ],
  [
    'message-taken-back',
    'A message of a V4 queue is withdrawn by another project, which receives 404.',
    'KEYS-44',
    silently(at('DELETE', '/api/v4/sessions/*/queue/*')),
  ],
  [
    'session-retitled',
    'A V4 session gets a title from another project, which receives 404.',
    'KEYS-44',
    silently(at('PATCH', '/api/v4/sessions/*')),
  ],
  [
    'v4-run-known',
    'The V4 run of another project is answered with 403.',
    'KEYS-45',
    forbidden(at('GET', '/api/v4/runs/*/status')),
  ],
];

function createMutants(rows: readonly Row[], server: Mutant['server'], only: readonly string[]): Mutant[] {
  return rows.map(([id, breaks, target, tamper, ...mayAlso]) => ({
    id: `keys-${id}`,
    breaks,
    server,
    target,
    mayAlso,
    only,
    ...(tamper === undefined ? {} : { tamper }),
  }));
}

const five = (tens: number): string[] => [1, 2, 3, 4, 5].map((ones) => `KEYS-${tens}${ones}`);

/** Servers on which one operation lets a project read, change, use or detect resources of another project. */
export const twoKeysMutants: readonly Mutant[] = [
  ...createMutants(stored, 'reference', five(0)),
  ...createMutants(
    browsers,
    'scripted',
    five(1).filter((id) => id !== 'KEYS-12'),
  ),
  ...createMutants(tasks, 'reference', five(2)),
  ...createMutants(sessions, 'reference', five(3)),
  ...createMutants(runs, 'reference', five(4)),
];
