import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Seen, Tamper } from './mutant.ts';
import type { Judgeable } from './run-mutant.ts';
import { records } from './tampers.ts';
import { withoutUnrequired } from './unrequired.ts';

/** A conforming server that differs from the reference. The suite must find no violation. */
export interface LegalVariant extends Judgeable {
  /** Permanent name, kebab-case. */
  readonly id: string;
  /** The difference from the reference, as a sentence. */
  readonly does: string;
  /** Requirements beyond the contract about features that this server does not offer. It is right that they fail. */
  readonly promises?: readonly string[];
}

const variant = { server: 'reference', isLegal: true } as const;

/** Changes every object of a JSON body, innermost first. */
function everywhere(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => everywhere(item, change));
  if (!isJsonObject(value)) return value;
  const inner = Object.entries(value).map(([name, member]) => [name, everywhere(member, change)]);
  const changed: unknown = Object.fromEntries(inner);
  return isJsonObject(changed) ? change(changed) : changed;
}

/** Members whose content comes from the client. The service must not add members to such content. */
const own = new Set([
  'fields',
  'metadata',
  'output',
  'outputSchema',
  'modelParams',
  'result',
  'data',
  'payload',
  'structuredOutput',
]);

/** Adds an unknown member to every object of an answer, except to the contents of the members in `own`. */
function withExtras(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtras);
  if (!isJsonObject(value)) return value;
  const inner = Object.entries(value).map(([name, member]) => [name, own.has(name) ? member : withExtras(member)]);
  return { ...Object.fromEntries(inner), xFromTomorrow: { note: 'new', since: 7 } };
}

const headerCase: Tamper = {
  answer: (_seen, { headers }) => ({
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.toUpperCase(),
        name === 'content-type' ? value.replace('application/json', 'Application/JSON') : value,
      ]),
    ),
  }),
};

/** Changes the texts of errors for which the contract has no template, and the types of validation errors. */
function otherWords({ url }: Seen, { status, body }: Given): Partial<Given> | undefined {
  if (status < 400 || !isJsonObject(body)) return undefined;
  if (typeof body['detail'] === 'string') return { body: { ...body, detail: `Leider nein (${status}).` } };
  if (status !== 422 || !url.startsWith('/api/')) return undefined;
  return {
    body: everywhere(body, (detail) => {
      const isOwn = typeof detail['msg'] === 'string' && !detail['msg'].includes('does not support');
      return {
        ...detail,
        ...(isOwn ? { msg: 'Das geht so nicht.' } : {}),
        ...('type' in detail ? { type: 'wrong' } : {}),
      };
    }),
  };
}

/**
 * Returns whether a request creates a V2 task, a V4 run or a browser. The contract states the status of a creation only
 * for V3 sessions.
 */
function isCreation({ method, url, body }: Seen): boolean {
  const path = url.split('?')[0] ?? '';
  return method === 'POST' && /^\/api\/v[24]\/(tasks|runs|browsers)$/.test(path) && isJsonObject(body);
}

/**
 * For a session with a task: `looks` is the number of responses since the last task that showed `idle`, `steps` the
 * step count before this task, and `tasks` the number of all tasks so far.
 */
interface Dispatch {
  looks: number;
  readonly steps: unknown;
  readonly tasks: number;
}

/**
 * Shows a session with a new task as `idle` in up to two responses, although it is running. When `running` is shown,
 * `updatedAt` is later.
 */
function idleBefore(): Tamper {
  const dispatches = new Map<string, Dispatch>();
  return records((record, { method, body }) => {
    const id = String(record['id']);
    const isDispatch = method === 'POST' && isJsonObject(body) && typeof body['task'] === 'string';
    const before = dispatches.get(id);
    if (isDispatch) dispatches.set(id, { looks: 0, steps: record['stepCount'], tasks: (before?.tasks ?? 0) + 1 });
    const last = dispatches.get(id);
    if (last === undefined) return record;
    // After a counted step, the session has run. From then on, `idle` would mean that the task has ended.
    const isFresh = record['status'] === 'running' && record['stepCount'] === last.steps && last.looks < 2;
    last.looks = isFresh ? last.looks + 1 : last.looks;
    const updatedMs = Date.parse(String(record['updatedAt'])) + last.tasks - (isFresh ? 1 : 0);
    return { ...record, updatedAt: new Date(updatedMs).toISOString(), ...(isFresh ? { status: 'idle' } : {}) };
  });
}

/** Serves V3 follow-ups, V3 stops and V4 cancellations at paths that differ from the paths of the companion. */
export const elsewhere: Tamper = {
  request: ({ method, url, body }) => {
    const [path = ''] = url.split('?');
    const id = /^\/api\/v[34]\/(?:sessions|runs)\/([^/]+)/.exec(path)?.[1] ?? '';
    if (method === 'PUT' && path === `/api/v3/sessions/${id}/next-task`)
      return { method: 'POST', url: '/api/v3/sessions', body: { ...(isJsonObject(body) ? body : {}), sessionId: id } };
    if (method === 'PUT' && path === `/api/v3/sessions/${id}/end`)
      return { method: 'POST', url: `/api/v3/sessions/${id}/stop`, body: isJsonObject(body) ? body : '' };
    if (method === 'DELETE' && path === `/api/v4/runs/${id}`)
      return { method: 'POST', url: `/api/v4/runs/${id}/cancel` };
    return undefined;
  },
};

/** Adds the paths of `elsewhere` for V3 follow-ups and stops to a target file. */
export function namesElsewhere(text: string): string {
  return text.replace(
    'v3:\n',
    [
      'v3:',
      '  followUp: { method: PUT, path: "/sessions/{session_id}/next-task", idMember: null }',
      '  stop: { method: PUT, path: "/sessions/{session_id}/end" }',
      '',
    ].join('\n'),
  );
}

/** Conforming variants, which the proofs judge with many seeds. */
export const legalVariants: readonly LegalVariant[] = [
  {
    ...variant,
    id: 'created-201',
    does: 'A V2 task, a V4 run and a browser are created with 200 or 201, whichever the reference does not answer.',
    promises: ['V2-ANSWERS', 'V4-ANSWERS', 'V2-VIEW-01'],
    tamper: {
      answer: (seen, { status }) =>
        isCreation(seen) && status < 300 ? { status: status === 201 ? 200 : 201 } : undefined,
    },
  },
  {
    ...variant,
    id: 'required-only',
    does: 'Members that are null or have their default, and that no document requires, are left out.',
    tamper: { answer: (seen, given) => withoutUnrequired(seen, given) },
  },
  {
    ...variant,
    id: 'extra-members',
    does: 'Every object of every answer has a member that no document knows.',
    promises: ['V4-VIEW-01'],
    tamper: { answer: (_seen, { status, body }) => (status < 300 ? { body: withExtras(body) } : undefined) },
  },
  {
    ...variant,
    id: 'header-case',
    does: 'Names of headers and the media type are in capital letters.',
    tamper: headerCase,
  },
  {
    ...variant,
    id: 'slow-chunks',
    does: 'Answers come in pieces of 200 bytes with pauses.',
    tamper: { pieceBytes: 200 },
  },
  {
    ...variant,
    id: 'other-words',
    does: 'Texts that the contract does not word are in another language.',
    promises: ['INTERFACE-03', 'INTERFACE-04', 'SHARE-06', 'V2-FILE-09', 'V2-FILE-12', 'V2-SES-08', 'V2-VIEW-23'],
    tamper: { answer: otherWords },
  },
  {
    ...variant,
    id: 'v3-list-reversed',
    does: 'The list of V3 sessions shows each page backwards.',
    tamper: {
      answer: ({ method, url }, { body }) =>
        method === 'GET' &&
        /^\/api\/v3\/sessions(\?|$)/.test(url) &&
        isJsonObject(body) &&
        Array.isArray(body['sessions'])
          ? { body: { ...body, sessions: body['sessions'].toReversed() } }
          : undefined,
    },
  },
  {
    ...variant,
    id: 'idle-first',
    does: 'A V3 session reads idle before it runs.',
    promises: ['V3-VIEW-13'],
    tamper: idleBefore,
  },
  {
    ...variant,
    id: 'other-paths',
    does: 'Follow-up and stop of a V3 session stand elsewhere; the target file says where.',
    tamper: elsewhere,
    targetFile: namesElsewhere,
  },
];
