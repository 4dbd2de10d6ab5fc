import type { Mutant, Tamper } from '../mutant.ts';
import { withLimit, withTransition } from '../flip.ts';
import { created, fetched, followed, isFetch, member, omit, records } from '../tampers.ts';
import { both, readBody } from '../operation-tampers.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';

/**
 * Refuses uploads to a V3 workspace after a session was created in it. Accepts all but the first `times` of them.
 */
export function refusesUploads(status: number, times = Infinity): () => Tamper {
  return () => {
    const used = new Set<string>();
    let refusals = 0;
    return {
      answer(seen, given) {
        const { workspaceId } = readBody(seen);
        if (seen.method === 'POST' && seen.url === '/api/v3/sessions' && given.status < 300)
          used.add(String(workspaceId));
        const id = /^\/api\/v3\/workspaces\/([^/]+)\/files\/upload/.exec(seen.url)?.[1] ?? '';
        if (!used.has(id) || refusals >= times) return undefined;
        refusals += 1;
        return { status, body: { detail: 'The workspace is in use' } };
      },
    };
  };
}

/** Shows a stopped session as running in every second fetch after its end. */
function resurrects(): Tamper {
  const ended = new Map<string, number>();
  return {
    answer(seen, { body }) {
      if (!isFetch(seen) || !isJsonObject(body) || body['status'] !== 'stopped') return undefined;
      const fetches = (ended.get(seen.url) ?? 0) + 1;
      ended.set(seen.url, fetches);
      return fetches % 2 === 0 ? { body: { ...body, status: 'running' } } : undefined;
    },
  };
}

/** Changes the records of sessions in the state `error` whose task, as sent in their creation, `isWanted` selects. */
function failedShows(
  isWanted: (task: string | undefined) => boolean,
  change: (record: JsonObject) => JsonObject,
): () => Tamper {
  return createdShows(isWanted, (record) => (record['status'] === 'error' ? change(record) : record));
}

/** Changes the records of sessions whose task, as sent in their creation, `isWanted` selects. */
function createdShows(
  isWanted: (task: string | undefined) => boolean,
  change: (record: JsonObject) => JsonObject,
): () => Tamper {
  return () => {
    const wanted = new Set<unknown>();
    return both(
      {
        answer(seen, { body }) {
          if (seen.method !== 'POST' || !isJsonObject(seen.body) || !isJsonObject(body)) return undefined;
          const { task } = seen.body;
          if (isWanted(typeof task === 'string' ? task : undefined)) wanted.add(body['id']);
          return undefined;
        },
      },
      records((record) => (wanted.has(record['id']) ? change(record) : record)),
    );
  };
}

/**
 * Adds an invented session to lists of sessions for each refused creation with a level, as if the creation had been
 * accepted after all. `late` restricts this to one model, or delays it.
 */
function dispatchesRefused(late: { readonly model?: string; readonly afterMs: number } = { afterMs: 0 }): Tamper {
  const refusedAt: number[] = [];
  return {
    answer(seen, { status, body }) {
      if (seen.method === 'POST' && status === 422 && isJsonObject(seen.body)) {
        const { thinkingLevel, model } = seen.body;
        if (thinkingLevel !== undefined && (late.model ?? model) === model) refusedAt.push(Date.now());
      }
      if (seen.method !== 'GET' || !isJsonObject(body) || !Array.isArray(body['sessions'])) return undefined;
      const [first] = body['sessions'];
      const shown = refusedAt.filter((at) => at + late.afterMs <= Date.now());
      const ghosts = shown.map((_, index) => ({
        ...(isJsonObject(first) ? first : {}),
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      }));
      return {
        body: { ...body, sessions: [...ghosts, ...body['sessions']], total: Number(body['total']) + shown.length },
      };
    },
  };
}

const levels = [
  'V3-THINK-29',
  'V3-THINK-26',
  'V3-THINK-27',
  'V3-THINK-28',
  'V3-THINK-ACCEPTS',
  'V3-FOLLOW-02',
  'V3-SESSION-07',
] as const;
const notIdle = [
  'LIFE-01',
  'LIFE-06',
  'LIFE-03',
  'LIFE-11',
  'LIFE-15',
  'V3-FOLLOW-01',
  'V3-FOLLOW-02',
  'V3-THINK-ACCEPTS',
  'V3-THINK-26',
  'V3-THINK-27',
  'V3-THINK-28',
  'V3-THINK-29',
  'VER-10',
] as const;
const notStopped = ['V3-STOP-03', 'LIFE-06', 'LIFE-17', 'V3-STOP-01', 'V3-STOP-02', 'LIFE-01'] as const;

/** Servers whose sessions have wrong state transitions, or whose follow-ups violate the level rules. */
export const lifecycleMutants: readonly Mutant[] = [
  {
    id: 'kept-stops',
    breaks: 'With keepAlive true a session stops after its task.',
    server: 'reference',
    target: 'LIFE-14',
    mayAlso: notIdle,
    rules: withTransition('complete', { condition: 'keepAlive is true', to: 'stopped' }),
  },
  {
    id: 'kept-giving-up-is-error',
    breaks: 'With keepAlive true a session is in error after a failed task.',
    server: 'reference',
    only: ['V3-HISTORY-10', 'LIFE-14'],
    target: 'V3-HISTORY-10',
    tamper: records((record) =>
      record['status'] === 'idle' && record['isTaskSuccessful'] === false ? { ...record, status: 'error' } : record,
    ),
  },
  {
    id: 'one-off-stays',
    breaks: 'With keepAlive false, a session becomes idle.',
    server: 'reference',
    target: 'LIFE-16',
    mayAlso: ['V3-CREATE-08'],
    rules: withTransition('complete', { condition: 'keepAlive is false', to: 'idle' }),
  },
  {
    id: 'one-off-times-out',
    breaks: 'With keepAlive false a session ends as timed_out.',
    server: 'reference',
    target: 'V3-CREATE-08',
    mayAlso: ['LIFE-16'],
    rules: withTransition('complete', { condition: 'keepAlive is false', to: 'timed_out' }),
  },
  {
    id: 'stop-is-error',
    breaks: 'A stopped session has the status error.',
    server: 'reference',
    target: 'V3-STOP-02',
    mayAlso: notStopped,
    rules: withTransition('stop', { to: 'error' }),
  },
  {
    id: 'stop-does-nothing',
    breaks: 'A stop answers with success and does nothing.',
    server: 'reference',
    // The sessions of a whole run would use up the sandboxes of the server before the check runs.
    only: notStopped,
    target: 'LIFE-17',
    mayAlso: notStopped,
    tamper: {
      request: (seen) =>
        seen.url.endsWith('/stop') ? { method: 'GET', url: seen.url.replace('/stop', ''), body: '' } : undefined,
    },
  },
  {
    id: 'stop-task-goes-on',
    breaks: 'The task of a stopped session makes further steps.',
    server: 'reference',
    target: 'LIFE-17',
    mayAlso: ['V3-HISTORY-08', 'V3-HISTORY-03', 'V3-SESSION-17'],
    tamper: () => {
      const stops = new Map<unknown, number>();
      return fetched((record) => {
        if (record['status'] !== 'stopped' || record['isTaskSuccessful'] !== null) return record;
        const count = (stops.get(record['id']) ?? 0) + 1;
        stops.set(record['id'], count);
        return { ...record, stepCount: Number(record['stepCount']) + 2 * count };
      });
    },
  },
  {
    id: 'inactive-stopped',
    breaks: 'An inactive session ends as stopped.',
    server: 'reference',
    target: 'LIFE-18',
    mayAlso: ['LIFE-07', 'LIFE-06'],
    rules: withTransition('inactivity', { to: 'stopped' }),
  },
  {
    id: 'inactive-error',
    breaks: 'An inactive session ends in error.',
    server: 'reference',
    target: 'LIFE-07',
    mayAlso: ['LIFE-18'],
    rules: withTransition('inactivity', { to: 'error' }),
  },
  {
    id: 'failed-start-stopped',
    breaks: 'A session whose sandbox cannot start has the status stopped.',
    server: 'reference',
    target: 'LIFE-10',
    mayAlso: ['LIFE-06', 'LIFE-08'],
    tamper: failedShows(
      (task) => task?.includes('slow') !== true,
      (record) => ({ ...record, status: 'stopped' }),
    ),
  },
  {
    id: 'crash-times-out',
    breaks: 'A session that loses its sandbox while its task runs ends as timed_out.',
    server: 'reference',
    target: 'LIFE-19',
    mayAlso: ['LIFE-08'],
    tamper: failedShows(
      (task) => task?.includes('slow') === true,
      (record) => ({ ...record, status: 'timed_out' }),
    ),
  },
  {
    id: 'lost-success',
    breaks: 'A session that lost its sandbox shows isTaskSuccessful true.',
    server: 'reference',
    target: 'LIFE-08',
    mayAlso: ['V3-SESSION-22'],
    tamper: failedShows(
      () => true,
      (record) => ({ ...record, isTaskSuccessful: true }),
    ),
  },
  {
    id: 'resurrection',
    breaks: 'A stopped session is running again.',
    server: 'reference',
    target: 'LIFE-01',
    mayAlso: [
      'LIFE-06',
      'LIFE-16',
      'LIFE-17',
      'V3-CREATE-08',
      'V3-STOP-02',
      'V3-SESSION-21',
      'LIFE-20',
      'V3-GET-04',
      'SVC-01',
      'V3-SESSION-24',
    ],
    tamper: resurrects,
  },
  {
    id: 'unknown-status',
    breaks: 'A running session has the status busy.',
    server: 'reference',
    target: 'V3-ENUM-01',
    mayAlso: ['V3-SESSION-02', 'LIFE-01', 'LIFE-05', 'LIFE-11', 'V3-GET-01'],
    tamper: member('status', (record) => (record['status'] === 'running' ? 'busy' : (record['status'] ?? null))),
  },
  {
    id: 'refused-dispatches',
    breaks: 'A refused combination of model and level creates a session.',
    server: 'reference',
    target: 'ERR-15',
    mayAlso: ['MAP-01', 'V3-THINK-29'],
    tamper: () => dispatchesRefused(),
  },
  {
    id: 'refused-dispatches-late',
    breaks: 'A refused combination of one model creates a session 300 ms later.',
    server: 'reference',
    target: 'ERR-15',
    mayAlso: ['MAP-01'],
    tamper: () => dispatchesRefused({ model: 'minimax-m3', afterMs: 300 }),
  },
  {
    id: 'no-title',
    breaks: 'No title is ever generated.',
    server: 'reference',
    target: 'LIFE-12',
    mayAlso: ['V3-SESSION-09', 'V3-SESSION-08', 'V3-SESSION-48'],
    tamper: member('title', () => null),
  },
  {
    id: 'no-title-of-later-first-task',
    breaks: 'A session that was created without a task never gets a title.',
    server: 'reference',
    target: 'LIFE-12',
    mayAlso: ['V3-SESSION-08'],
    tamper: createdShows(
      (task) => task === undefined,
      (record) => ({ ...record, title: null }),
    ),
  },
  {
    id: 'steps-stand-still',
    breaks: 'stepCount stays 0.',
    server: 'reference',
    target: 'LIFE-13',
    mayAlso: ['V3-SESSION-16'],
    tamper: member('stepCount', () => 0),
  },
  {
    id: 'no-step-summary',
    breaks: 'lastStepSummary stays null.',
    server: 'reference',
    target: 'LIFE-13',
    mayAlso: ['V3-SESSION-18'],
    tamper: member('lastStepSummary', () => null),
  },
  {
    id: 'summary-only-at-the-end',
    breaks: 'lastStepSummary is null while a task runs.',
    server: 'reference',
    only: ['LIFE-02', 'LIFE-13', 'LIFE-14', 'LIFE-17'],
    target: 'LIFE-13',
    tamper: () => {
      let count = 0;
      return fetched((record) =>
        record['status'] === 'running'
          ? { ...record, stepCount: (count += 1), lastStepSummary: null }
          : { ...record, stepCount: count },
      );
    },
  },
  {
    id: 'same-step-summary',
    breaks: 'lastStepSummary is the same text at each step of every session.',
    server: 'reference',
    only: ['LIFE-02', 'LIFE-13', 'LIFE-14'],
    target: 'LIFE-13',
    tamper: () => {
      let count = 0;
      return fetched((record) =>
        record['status'] === 'created'
          ? record
          : { ...record, stepCount: (count += 1), lastStepSummary: 'The agent works' },
      );
    },
  },
  {
    id: 'no-results',
    breaks: 'A session with keepAlive shows no outcome after its task.',
    server: 'reference',
    target: 'LIFE-15',
    mayAlso: ['V3-SESSION-19', 'V3-SESSION-20', 'SVC-01'],
    tamper: member('isTaskSuccessful', () => null),
  },
  {
    id: 'omit-clears',
    breaks: 'A follow-up without thinkingLevel clears it.',
    server: 'reference',
    target: 'V3-THINK-26',
    mayAlso: levels,
    tamper: followed((body) => ('thinkingLevel' in body ? body : { ...body, thinkingLevel: null })),
  },
  {
    id: 'value-ignored',
    breaks: 'A follow-up does not change thinkingLevel.',
    server: 'reference',
    target: 'V3-THINK-27',
    mayAlso: [...levels, 'V3-FOLLOW-05'],
    tamper: followed((body) => (typeof body['thinkingLevel'] === 'string' ? omit(body, 'thinkingLevel') : body)),
  },
  {
    id: 'null-ignored',
    breaks: 'A follow-up with null keeps thinkingLevel.',
    server: 'reference',
    target: 'V3-THINK-28',
    mayAlso: levels,
    tamper: followed((body) => (body['thinkingLevel'] === null ? omit(body, 'thinkingLevel') : body)),
  },
  {
    id: 'follow-up-unchecked',
    breaks: 'A follow-up accepts any level.',
    server: 'reference',
    target: 'V3-THINK-29',
    mayAlso: [...levels, 'V3-FOLLOW-05'],
    tamper: followed((body) =>
      body['thinkingLevel'] === 'medium' || body['thinkingLevel'] === 'disabled' ? omit(body, 'thinkingLevel') : body,
    ),
  },
  {
    id: 'default-level',
    breaks: 'A session without a level shows low.',
    server: 'reference',
    target: 'VER-10',
    mayAlso: ['V3-THINK-23', 'V3-THINK-24', 'V3-THINK-28', 'V3-SESSION-07', 'VER-09', 'V3-CREATE-05'],
    tamper: member('thinkingLevel', (record) => record['thinkingLevel'] ?? 'low'),
  },
  {
    id: 'forgets-schema',
    breaks: 'outputSchema is ignored.',
    server: 'reference',
    target: 'V3-SESSION-15',
    mayAlso: ['ERR-05', 'V3-CREATE-10', 'V3-SESSION-13', 'V3-CREATE-17'],
    tamper: created((body) => omit(body, 'outputSchema')),
  },
  {
    id: 'forgets-code-mode',
    breaks: 'codeMode is ignored.',
    server: 'reference',
    // The planner of the reference cannot do the task without code mode. Its failed task may show a reason as text.
    target: 'V3-CREATE-17',
    mayAlso: ['ERR-05', 'V3-CREATE-09', 'V3-SESSION-11', 'V3-SESSION-12'],
    tamper: created((body) => omit(body, 'codeMode')),
  },
  {
    id: 'short-screenshots',
    breaks: 'A screenshot URL expires after one minute.',
    server: 'reference',
    target: 'LIMIT-01',
    rules: withLimit('screenshotUrlLifetime', 60_000),
  },
  {
    id: 'lasting-screenshots',
    breaks: 'A screenshot URL expires after a day.',
    server: 'reference',
    target: 'LIMIT-02',
    rules: withLimit('screenshotUrlLifetime', 86_400_000),
  },
  {
    id: 'late-success',
    breaks: 'isTaskSuccessful is false while the task runs.',
    server: 'reference',
    target: 'V3-SESSION-21',
    mayAlso: ['V3-SESSION-22'],
    tamper: records((record) => (record['status'] === 'running' ? { ...record, isTaskSuccessful: false } : record)),
  },
  {
    id: 'idle-failure',
    breaks: 'isTaskSuccessful is false in a session without a task.',
    server: 'reference',
    target: 'V3-SESSION-22',
    tamper: fetched((record) => (record['title'] === null ? { ...record, isTaskSuccessful: false } : record)),
  },
  {
    id: 'failed-start-failure',
    breaks: 'isTaskSuccessful is false in a session without a task whose sandbox did not start.',
    server: 'reference',
    target: 'V3-SESSION-22',
    tamper: fetched((record) =>
      record['title'] === null && record['status'] === 'error' ? { ...record, isTaskSuccessful: false } : record,
    ),
  },
  {
    id: 'idle-upload-refused',
    breaks: 'An upload to the workspace of an idle session is answered with 409.',
    server: 'reference',
    target: 'LIFE-04',
    tamper: refusesUploads(409),
  },
  {
    id: 'idle-upload-fails',
    breaks: 'An upload to the workspace of an idle session is answered with 500.',
    server: 'reference',
    target: 'LIFE-04',
    tamper: refusesUploads(500),
  },
  {
    id: 'idle-upload-without-content',
    breaks: 'While a session is idle, the content of a file is not accepted at its upload URL.',
    server: 'reference',
    target: 'LIFE-04',
    only: ['LIFE-04'],
    tamper: () => {
      let isUsed = false;
      return {
        addresses: true,
        answer(seen, { status }) {
          isUsed ||= seen.method === 'POST' && seen.url === '/api/v3/sessions' && status < 300;
          return isUsed && seen.method === 'PUT' ? { status: 403, body: '' } : undefined;
        },
      };
    },
  },
];
