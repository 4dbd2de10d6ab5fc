import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { readBody, both } from '../operation-tampers.ts';
import { details, eventPages, fetched, followed as ofFollowUps, jobs, omit, sent } from '../tampers.ts';

const sessions = '/api/v3/sessions';
const runs = '/api/v4/runs';
const reference = { server: 'reference' } as const;

/** Data about the sessions of one run of the suite, recorded from its requests and the answers. */
interface Memory {
  /** Sessions that were created without a task. */
  readonly taskless: Set<unknown>;
  /** Sessions that have accepted a follow-up. */
  readonly followed: Set<unknown>;
  /** Sessions that have refused a follow-up. */
  readonly refused: Set<unknown>;
  /**
   * For each session, the last record that was fetched before its first accepted follow-up. Filled only by
   * `afterFollowUp`.
   */
  readonly values: Map<unknown, JsonObject>;
}

/**
 * Creates a tamper from a function that gets the ids of sessions in one run of the suite: sessions created without a
 * task, and sessions that have accepted or refused a follow-up.
 */
function withMemory(create: (memory: Memory) => Tamper): () => Tamper {
  return () => {
    const memory: Memory = { taskless: new Set(), followed: new Set(), refused: new Set(), values: new Map() };
    const note: Tamper = {
      answer(seen, { status, body }) {
        if (seen.method !== 'POST' || seen.url !== sessions) return undefined;
        const { sessionId, task } = readBody(seen);
        if (sessionId === undefined && isJsonObject(body) && (task ?? null) === null) memory.taskless.add(body['id']);
        if (sessionId !== undefined && status < 300) memory.followed.add(sessionId);
        if (sessionId !== undefined && status === 422) memory.refused.add(sessionId);
        return undefined;
      },
    };
    return both(note, create(memory));
  };
}

/**
 * Changes the fetched records of sessions that have accepted a follow-up. `before` is the last record that was fetched
 * before this follow-up; if none was fetched, it is the record to be changed.
 */
function afterFollowUp(change: (record: JsonObject, before: JsonObject) => JsonObject): () => Tamper {
  return withMemory(({ followed, values }) =>
    fetched((record) => {
      if (followed.has(record['id'])) return change(record, values.get(record['id']) ?? record);
      values.set(record['id'], record);
      return record;
    }),
  );
}

/** Replaces the session id in a follow-up by an unknown id, if it is one of `ids`. */
function hidden(body: JsonObject, ids: ReadonlySet<unknown>): JsonObject {
  return ids.has(body['sessionId']) ? { ...body, sessionId: '00000000-0000-4000-8000-000000000000' } : body;
}

/**
 * Changes fetched records that meet the condition `state`. `look` is the number of fetches of the same session so far
 * that have met the condition.
 */
function byLook(
  state: (record: JsonObject) => boolean,
  change: (record: JsonObject, look: number) => JsonObject,
): () => Tamper {
  return () => {
    const looks = new Map<unknown, number>();
    return fetched((record) => {
      if (!state(record)) return record;
      const look = (looks.get(record['id']) ?? 0) + 1;
      looks.set(record['id'], look);
      return change(record, look);
    });
  };
}

/** Servers whose V3 sessions are wrong in a later task. */
const sessionMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'later-recording-lost',
    breaks: 'recordingUrls is empty after a follow-up.',
    only: ['V3-CREATE-18'],
    target: 'V3-CREATE-18',
    tamper: afterFollowUp((record) => ({ ...record, recordingUrls: [] })),
  },
  {
    ...reference,
    id: 'later-first-task-refused',
    breaks: 'A session that was created without a task accepts no follow-up.',
    only: ['V3-FOLLOW-04'],
    target: 'V3-FOLLOW-04',
    tamper: withMemory(({ taskless }) => sent(sessions, (body) => hidden(body, taskless))),
  },
  {
    ...reference,
    id: 'later-first-level-unchecked',
    breaks: 'The level of the first task of a session without a task is not checked.',
    only: ['V3-FOLLOW-05'],
    target: 'V3-FOLLOW-05',
    tamper: withMemory(({ taskless }) =>
      sent(sessions, (body) => (taskless.has(body['sessionId']) ? omit(body, 'thinkingLevel') : body)),
    ),
  },
  {
    ...reference,
    id: 'later-empty-level-absent',
    breaks: 'A follow-up takes an empty level as none.',
    only: ['V3-FOLLOW-06'],
    target: 'V3-FOLLOW-06',
    tamper: ofFollowUps((body) => (body['thinkingLevel'] === '' ? omit(body, 'thinkingLevel') : body)),
  },
  {
    ...reference,
    id: 'later-level-in-capitals',
    breaks: 'A follow-up takes levels in capital letters.',
    only: ['V3-FOLLOW-06'],
    target: 'V3-FOLLOW-06',
    tamper: ofFollowUps((body) =>
      typeof body['thinkingLevel'] === 'string'
        ? { ...body, thinkingLevel: body['thinkingLevel'].toLowerCase() }
        : body,
    ),
  },
  {
    ...reference,
    id: 'later-flag-as-text',
    breaks: 'A follow-up takes a text as keepAlive.',
    only: ['V3-FOLLOW-07'],
    target: 'V3-FOLLOW-07',
    tamper: ofFollowUps((body) => (typeof body['keepAlive'] === 'string' ? omit(body, 'keepAlive') : body)),
  },
  {
    ...reference,
    id: 'later-profile-lost',
    breaks: 'profileId is null after a follow-up.',
    only: ['V3-HISTORY-15', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-15',
    tamper: afterFollowUp((record) => ({ ...record, profileId: null })),
  },
  {
    ...reference,
    id: 'later-array-in-object',
    breaks: 'Output of a follow-up with a schema of an array is an object around the array.',
    only: ['V3-SESSION-13', 'V3-FOLLOW-01'],
    target: 'V3-SESSION-13',
    tamper: fetched((record) =>
      Array.isArray(record['output']) ? { ...record, output: { items: record['output'] } } : record,
    ),
  },
  {
    ...reference,
    id: 'later-blocked-by-refusal',
    breaks: 'A session accepts no follow-up after a refused follow-up.',
    only: ['V3-FOLLOW-01'],
    target: 'V3-FOLLOW-01',
    tamper: withMemory(({ refused }) => sent(sessions, (body) => hidden(body, refused))),
  },
  {
    ...reference,
    id: 'later-refusal-lists-all-levels',
    breaks: 'The text of a refused follow-up lists every level.',
    only: ['V3-THINK-29'],
    target: 'V3-THINK-29',
    tamper: inFollowUps(
      details((detail) => ({
        ...detail,
        msg: String(detail['msg']).replace(/values: .*$/, 'values: disabled, low, medium, high'),
      })),
    ),
  },
  {
    ...reference,
    id: 'later-tokens-of-first-task',
    breaks: 'The tokens of follow-ups are not counted.',
    only: ['V3-HISTORY-21', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-21',
    tamper: afterFollowUp((record, { totalInputTokens, totalOutputTokens }) => ({
      ...record,
      totalInputTokens: totalInputTokens ?? 0,
      totalOutputTokens: totalOutputTokens ?? 0,
    })),
  },
  {
    ...reference,
    id: 'later-task-runs-idle',
    breaks: 'A session has the status idle while a follow-up runs.',
    only: ['V3-HISTORY-22', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-22',
    mayAlso: ['V3-FOLLOW-01'],
    tamper: () => {
      const shown = new Map<unknown, number>();
      return afterFollowUp((record, { stepCount }) => {
        const look = (shown.get(record['id']) ?? 0) + 1;
        shown.set(record['id'], look);
        const working = { status: 'idle', isTaskSuccessful: null, output: null, stepCount: Number(stepCount) + look };
        return look <= 3 ? { ...record, ...working } : record;
      })();
    },
  },
  {
    ...reference,
    id: 'later-success-sticks',
    breaks: 'isTaskSuccessful stays true after a failed follow-up.',
    only: ['V3-HISTORY-23', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-23',
    tamper: afterFollowUp((record, before) =>
      before['isTaskSuccessful'] === true && record['isTaskSuccessful'] === false
        ? { ...record, isTaskSuccessful: true }
        : record,
    ),
  },
  {
    ...reference,
    id: 'later-mailbox',
    breaks: 'A session that was created without a mailbox has a mailbox after a follow-up.',
    only: ['V3-HISTORY-12', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-12',
    tamper: afterFollowUp((record) => ({
      ...record,
      inboxEmail: record['inboxEmail'] ?? `${String(record['id'])}@later.example`,
    })),
  },
  {
    ...reference,
    id: 'later-level-of-others',
    breaks: 'The level of an ended session without a level becomes high.',
    only: ['V3-HISTORY-08', 'V3-FOLLOW-01'],
    target: 'V3-HISTORY-08',
    tamper: byLook(
      ({ status }) => status === 'stopped',
      (record, look) => (look > 3 ? { ...record, thinkingLevel: 'high' } : record),
    ),
  },
  {
    ...reference,
    id: 'later-updated-ahead',
    breaks: 'updatedAt of an ended session is an hour in the future.',
    only: ['V3-HISTORY-19'],
    target: 'V3-HISTORY-19',
    tamper: fetched((record) =>
      record['status'] === 'stopped'
        ? { ...record, updatedAt: new Date(Date.parse(String(record['updatedAt'])) + 3_600_000).toISOString() }
        : record,
    ),
  },
  {
    ...reference,
    id: 'later-screenshot-dead',
    breaks: 'The screenshot URL of a stopped session answers 404.',
    only: ['V3-SESSION-47'],
    target: 'V3-SESSION-47',
    tamper: fetched((record) =>
      record['status'] === 'stopped' && typeof record['screenshotUrl'] === 'string'
        ? {
            ...record,
            screenshotUrl: record['screenshotUrl'].replace(/^(https?:\/\/[^/]+)\/.*$/, '$1/api/v3/lost.png'),
          }
        : record,
    ),
  },
  {
    ...reference,
    id: 'later-title',
    breaks: 'title is null until the task has ended.',
    only: ['V3-SESSION-48'],
    target: 'V3-SESSION-48',
    tamper: fetched((record) => (record['status'] === 'running' ? { ...record, title: null } : record)),
  },
];

/** Restricts a tamper to answers to requests with a `sessionId`; only its `answer` is used. */
function inFollowUps(tamper: Tamper): Tamper {
  return {
    answer: (seen, given) => (readBody(seen)['sessionId'] === undefined ? undefined : tamper.answer?.(seen, given)),
  };
}

/**
 * For each V4 session, the ids of its runs in the order of creation (`ids`), and the body of the request that created
 * its first run (`first`).
 */
interface RunMemory {
  readonly ids: Map<unknown, unknown[]>;
  readonly first: Map<unknown, JsonObject>;
}

/** Creates a tamper from a function that gets the recorded runs of each session. */
function withRuns(create: (memory: RunMemory) => Tamper): () => Tamper {
  return () => {
    const memory: RunMemory = { ids: new Map(), first: new Map() };
    const note: Tamper = {
      answer(seen, { status, body }) {
        if (seen.method !== 'POST' || seen.url !== runs || status >= 300 || !isJsonObject(body)) return undefined;
        const { sessionId, id } = body;
        memory.ids.set(sessionId, [...(memory.ids.get(sessionId) ?? []), id]);
        if (!memory.first.has(sessionId)) memory.first.set(sessionId, readBody(seen));
        return undefined;
      },
    };
    return both(note, create(memory));
  };
}

/**
 * Returns true if a request names a run with an earlier run in its session (`later`), or with a later run in its
 * session (`earlier`).
 */
function reads(seen: Seen, { ids }: RunMemory, which: 'later' | 'earlier'): boolean {
  return [...ids.values()].some((all) =>
    (which === 'later' ? all.slice(1) : all.slice(0, -1)).some((id) => seen.url.includes(String(id))),
  );
}

/** Shows in every later run of a session the first result that was read. */
function repeatsFirst(memory: RunMemory): Tamper {
  let first: JsonObject[string] | undefined;
  return jobs('v4', (run, seen) => {
    if (typeof run['result'] !== 'string') return run;
    if (reads(seen, memory, 'later')) return { ...run, result: first ?? run['result'] };
    first ??= run['result'];
    return run;
  });
}

/** Servers whose V4 runs are wrong in a session that has had a run. */
const runMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'later-run-inherits-params',
    breaks: 'A run without modelParams uses the modelParams of the first run of its session.',
    only: ['V4-PARAMS-36'],
    target: 'V4-PARAMS-36',
    tamper: withRuns(({ first }) =>
      sent(runs, (body) => {
        const kept = first.get(body['sessionId'])?.['modelParams'];
        return kept === undefined || 'modelParams' in body ? body : { ...body, modelParams: kept };
      }),
    ),
  },
  {
    ...reference,
    id: 'later-run-empty-params-refused',
    breaks: 'Empty modelParams are refused in a later run of a session.',
    only: ['V4-PARAMS-34'],
    target: 'V4-PARAMS-34',
    tamper: sent(runs, (body) =>
      'sessionId' in body && isEmpty(body['modelParams'])
        ? { ...body, modelParams: { reasoning: { effort: 'never' } } }
        : body,
    ),
  },
  {
    ...reference,
    id: 'later-run-unsorted-list',
    breaks: 'The error text of a refused later run lists the values unsorted.',
    only: ['V4-SES-11'],
    target: 'V4-SES-11',
    tamper: inFollowUps(
      details((detail) => ({
        ...detail,
        msg: String(detail['msg']).replace(
          /values: (.*)$/,
          (_all, list: string) => `values: ${list.split(', ').toReversed().join(', ')}`,
        ),
      })),
    ),
  },
  {
    ...reference,
    id: 'later-run-same-result',
    breaks: 'A later run of a session has the result of the first run.',
    only: ['V4-RUN-32'],
    target: 'V4-RUN-32',
    tamper: withRuns(repeatsFirst),
  },
  {
    ...reference,
    id: 'later-run-same-result-of-usual-task',
    breaks: 'A later run of a session has the result of the first run. The target file defines no task that succeeds.',
    only: ['V4-RUN-32'],
    target: 'V4-RUN-32',
    targetFile: (text) => text.replace(/^ {2}succeed: .*\n/m, ''),
    tamper: withRuns(repeatsFirst),
  },
  {
    ...reference,
    id: 'later-run-adds-result',
    breaks: 'The result of a later run of a session begins with the result of the first run.',
    only: ['V4-RUN-32'],
    target: 'V4-RUN-32',
    tamper: withRuns((memory) => {
      let first: string | undefined;
      return jobs('v4', (run, seen) => {
        if (typeof run['result'] !== 'string') return run;
        if (reads(seen, memory, 'later')) return { ...run, result: `${first ?? ''}\n${run['result']}` };
        first ??= run['result'];
        return run;
      });
    }),
  },
  {
    ...reference,
    id: 'later-run-hides-earlier',
    breaks: 'A run answers 404 after its session starts a later run.',
    only: ['V4-RUN-27'],
    target: 'V4-RUN-27',
    tamper: withRuns((memory) => ({
      answer: (seen) =>
        seen.method === 'GET' && reads(seen, memory, 'earlier')
          ? { status: 404, body: { detail: 'Run not found' } }
          : undefined,
    })),
  },
  {
    ...reference,
    id: 'later-run-reopens-earlier',
    breaks: 'An ended run has the status running after its session starts a later run.',
    only: ['V4-RUN-29'],
    target: 'V4-RUN-29',
    tamper: withRuns((memory) =>
      jobs('v4', (run, seen) => (reads(seen, memory, 'earlier') ? { ...run, status: 'running' } : run)),
    ),
  },
  {
    ...reference,
    id: 'later-run-without-events',
    breaks: 'A later run of a session has no events.',
    only: ['EVT-01'],
    target: 'EVT-01',
    tamper: withRuns((memory) =>
      eventPages((events, page, seen) =>
        reads(seen, memory, 'later') ? { ...page, events: [] } : { ...page, events },
      ),
    ),
  },
];

function isEmpty(value: JsonObject[string] | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Servers that behave wrongly in a later task of a session. */
export const laterTaskMutants: readonly Mutant[] = [...sessionMutants, ...runMutants];
