import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Mutant, Seen, Tamper } from '../mutant.ts';
import { type At, at, readBody, both, does, isAt } from '../operation-tampers.ts';

const base = { server: 'reference', only: ['laws-stateful'] } as const;
const onBrowsers = { server: 'scripted', only: ['STATE-BROWSERS', 'STATE-BROWSERS-BEYOND'] } as const;

const session = '/api/v3/sessions/*';
const getSession = at('GET', session);
const stopSession = at('POST', `${session}/stop`);
const isFollowUp = (seen: Seen): boolean => typeof readBody(seen)['sessionId'] === 'string';
const followUp = at('POST', '/api/v3/sessions', isFollowUp);
const run = '/api/v4/runs/*';
const task = '/api/v2/tasks/*';
const browser = '/api/v4/browsers/*';

const ends: readonly unknown[] = ['stopped', 'timed_out', 'error', 'completed', 'failed', 'cancelled', 'finished'];

/** Returns the first id in the URL of a request; empty without an id. */
function readId({ url }: Seen): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(url)?.[0] ?? '';
}

function readRecord({ body }: Given): JsonObject {
  return isJsonObject(body) ? body : {};
}

/** Creates a counter of calls per id; the first call returns 1. */
function counter(): (id: string) => number {
  const counts = new Map<string, number>();
  return (id) => {
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts.get(id) ?? 0;
  };
}

/**
 * Changes every answer that shows a resource as ended, except the first such answer. `times` is the number of these
 * answers for the resource so far, at least 2.
 */
function laterAtEnd(place: At, change: (record: JsonObject, times: number) => JsonObject): () => Tamper {
  return () => {
    const times = counter();
    return {
      answer: (seen, given) => {
        if (!isAt(place, seen) || !ends.includes(readRecord(given)['status'])) return undefined;
        const count = times(readId(seen));
        return count === 1 ? undefined : { body: change(readRecord(given), count) };
      },
    };
  };
}

/** Answers 500 to every call of one operation with the same id, except the first. */
function repeatBreaks(place: At): () => Tamper {
  return () => {
    const times = counter();
    return {
      answer: (seen) =>
        isAt(place, seen) && times(readId(seen)) > 1 ? { status: 500, body: { detail: 'Internal error' } } : undefined,
    };
  };
}

/**
 * Creates a tamper from an `answer` function. The additional argument of this function has, for each id, the last
 * record that an endpoint has returned.
 */
function remembering(
  place: At,
  answer: (seen: Seen, given: Given, last: Map<string, JsonObject>) => Partial<Given> | undefined,
): () => Tamper {
  return () => {
    const last = new Map<string, JsonObject>();
    return {
      answer: (seen, given) => {
        if (isAt(place, seen) && given.status === 200) last.set(readId(seen), readRecord(given));
        return answer(seen, given, last);
      },
    };
  };
}

/** Answers 404 to the first fetch of a deleted resource, and returns the resource's last record in later fetches. */
function foundAgain(place: At): () => Tamper {
  return () => {
    const looks = counter();
    return remembering(place, (seen, given, last) => {
      const known = last.get(readId(seen));
      if (!isAt(place, seen) || given.status !== 404 || known === undefined) return undefined;
      return looks(readId(seen)) > 1 ? { status: 200, body: known } : undefined;
    })();
  };
}

/** Shows in a list every row that the list has shown before, including deleted rows. */
function stillListed(list: At, member: string): () => Tamper {
  return () => {
    const seenRows = new Map<unknown, JsonObject>();
    return {
      answer: (seen, given) => {
        const rows = readRecord(given)[member];
        if (!isAt(list, seen) || !Array.isArray(rows)) return undefined;
        for (const row of rows) if (isJsonObject(row)) seenRows.set(row['id'], row);
        return { body: { ...readRecord(given), [member]: [...seenRows.values()] } };
      },
    };
  };
}

/** Changes the answers of requests to an endpoint that are open at the same time. */
function whenAtOnce(place: At, change: (seen: Seen, given: Given) => Partial<Given> | undefined): () => Tamper {
  return () => {
    let open = 0;
    let together = false;
    return {
      request: (seen) => {
        if (!isAt(place, seen)) return undefined;
        open += 1;
        together ||= open > 1;
        return undefined;
      },
      answer: (seen, given) => {
        if (!isAt(place, seen)) return undefined;
        const wasTogether = together;
        open -= 1;
        together &&= open > 0;
        return wasTogether ? change(seen, given) : undefined;
      },
    };
  };
}

/**
 * Answers 200 with the last record of a session to a follow-up that the good server refuses with 409, if this record
 * meets a condition.
 */
function acceptsRefused(when: (last: JsonObject) => boolean): () => Tamper {
  return remembering(getSession, (seen, given, last) => {
    const known = last.get(String(readBody(seen)['sessionId']));
    const isRefused = isAt(followUp, seen) && given.status === 409;
    return isRefused && known !== undefined && when(known) ? { status: 200, body: known } : undefined;
  });
}

/** Changes the fetched records of sessions that have accepted at least `nth` follow-ups. */
function afterFollowUp(nth: number, change: (record: JsonObject, id: string) => JsonObject): () => Tamper {
  return () => {
    const times = counter();
    const reached = new Set<string>();
    return {
      answer: (seen, given) => {
        const id = isFollowUp(seen) ? String(readBody(seen)['sessionId']) : readId(seen);
        if (isAt(followUp, seen) && given.status === 200 && times(id) >= nth) reached.add(id);
        return isAt(getSession, seen) && given.status === 200 && reached.has(id)
          ? { body: change(readRecord(given), id) }
          : undefined;
      },
    };
  };
}

/** Accepts follow-ups to sessions that were stopped while their last read record showed them as idle. */
function idleStopTakesTasks(): Tamper {
  const idleStops = new Set<string>();
  const looks = remembering(getSession, (seen, given, last) => {
    if (isAt(stopSession, seen) && last.get(readId(seen))?.['status'] === 'idle') idleStops.add(readId(seen));
    const id = String(readBody(seen)['sessionId']);
    const known = last.get(id);
    return isAt(followUp, seen) && given.status === 409 && idleStops.has(id) && known !== undefined
      ? { status: 200, body: known }
      : undefined;
  });
  return looks();
}

/**
 * Shows cancelled messages as consumed by the latest created run, as soon as a fetch after its creation has shown a run
 * as cancelled.
 */
function takenBackRuns(): Tamper {
  let runId = '';
  let hasEnded = false;
  return {
    answer: (seen, given) => {
      const body = readRecord(given);
      if (isAt(at('POST', '/api/v4/runs'), seen) && given.status === 200) {
        runId = String(body['id']);
        hasEnded = false;
      }
      if (isAt(at('GET', run), seen)) hasEnded ||= body['status'] === 'cancelled';
      const isMessage = isAt(at('GET', '/api/v4/sessions/*/queue/*'), seen) && body['status'] === 'cancelled';
      return isMessage && hasEnded ? { body: { ...body, status: 'consumed', runId } } : undefined;
    },
  };
}

/** Shows a run as cancelled that was cancelled after a fetch had shown it as completed. */
function lateCancel(): Tamper {
  const changed = new Set<string>();
  const ended = new Set<string>();
  return {
    answer: (seen, given) => {
      const [id, body] = [readId(seen), readRecord(given)];
      if (isAt(at('GET', run), seen) && body['status'] === 'completed') ended.add(id);
      if (isAt(at('POST', `${run}/cancel`), seen) && ended.has(id)) changed.add(id);
      return changed.has(id) && 'status' in body ? { body: { ...body, status: 'cancelled' } } : undefined;
    },
  };
}

/**
 * Answers a refused follow-up (status `refusal`) with the status `success`, a constant id, and the id of the session.
 */
function takesSecond(path: string, refusal: number, success: number): Tamper {
  const place = at('POST', path, isFollowUp);
  return {
    answer: (seen, { status }) =>
      isAt(place, seen) && status === refusal
        ? {
            status: success,
            body: { id: '00000000-0000-4000-8000-00000000000a', sessionId: String(readBody(seen)['sessionId']) },
          }
        : undefined,
  };
}

const noMatter = { status: 200, body: {} } as const;

/** Servers that violate a life cycle only after a sequence of requests or in a race. */
export const statefulMutants: readonly Mutant[] = [
  {
    ...base,
    id: 'stateful-resurrection',
    breaks: 'A stopped session is running at the second GET.',
    target: 'STATE-SESSIONS',
    mayAlso: ['STATE-SESSIONS-BEYOND'],
    tamper: laterAtEnd(getSession, (record, times) => (times === 2 ? { ...record, status: 'running' } : record)),
  },
  {
    ...base,
    id: 'stateful-end-takes-task',
    breaks: 'A stopped session accepts a follow-up.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: acceptsRefused(({ status }) => status === 'stopped'),
  },
  {
    ...base,
    id: 'stateful-second-stop-breaks',
    breaks: 'The second stop of a session answers 500.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: repeatBreaks(stopSession),
  },
  {
    ...base,
    id: 'stateful-stop-is-not-real',
    breaks: 'A stop answers 200 and does nothing.',
    target: 'STATE-SESSIONS',
    mayAlso: ['STATE-SESSIONS-BEYOND'],
    tamper: both(
      { request: (seen) => (isAt(stopSession, seen) ? { url: seen.url.replace('/stop', '') } : undefined) },
      does(stopSession, noMatter),
    ),
  },
  {
    ...base,
    id: 'stateful-status-goes-back',
    breaks: 'A session has the status created after its first task.',
    target: 'STATE-SESSIONS',
    mayAlso: ['STATE-SESSIONS-BEYOND'],
    tamper: afterFollowUp(1, (record) => (record['status'] === 'idle' ? { ...record, status: 'created' } : record)),
  },
  {
    ...base,
    id: 'stateful-steps-fall',
    breaks: 'stepCount restarts with each follow-up.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: afterFollowUp(1, (record) => ({ ...record, stepCount: 0 })),
  },
  {
    ...base,
    id: 'stateful-end-changes',
    breaks: 'createdAt of a session changes after its end.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: laterAtEnd(getSession, (record, times) => ({ ...record, createdAt: new Date(times * 1000).toISOString() })),
  },
  {
    ...base,
    id: 'stateful-deleted-listed',
    breaks: 'A deleted session stays in the list.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: stillListed(at('GET', '/api/v3/sessions'), 'sessions'),
  },
  {
    ...base,
    id: 'stateful-deleted-readable',
    breaks: 'A deleted session is returned by the second GET.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: foundAgain(getSession),
  },
  {
    ...base,
    id: 'stateful-two-at-once',
    breaks: 'Two concurrent follow-ups are both accepted.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: whenAtOnce(followUp, (seen, { status }) =>
      status === 409
        ? { status: 200, body: { id: String(readBody(seen)['sessionId']), status: 'running' } }
        : undefined,
    ),
  },
  {
    ...base,
    id: 'stateful-stops-at-once',
    breaks: 'One of two concurrent stops answers 500.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: whenAtOnce(stopSession, () => ({ status: 500, body: { detail: 'Internal error' } })),
  },
  {
    ...base,
    id: 'stateful-third-follow-up',
    breaks: 'The third follow-up ends the session.',
    target: 'STATE-SESSIONS',
    mayAlso: ['STATE-SESSIONS-BEYOND'],
    tamper: afterFollowUp(3, (record) => (record['status'] === 'idle' ? { ...record, status: 'stopped' } : record)),
  },
  {
    ...base,
    id: 'stateful-idle-stop',
    breaks: 'A session that was stopped while idle accepts a follow-up.',
    target: 'STATE-SESSIONS-BEYOND',
    tamper: idleStopTakesTasks,
  },
  {
    ...base,
    id: 'stateful-idle-refuses',
    breaks: 'The second follow-up to an idle session is refused.',
    target: 'STATE-SESSIONS',
    tamper: () => {
      const times = counter();
      return {
        request: (seen) =>
          isAt(followUp, seen) && times(String(readBody(seen)['sessionId'])) > 1
            ? { method: 'GET', url: `/api/v3/sessions/${String(readBody(seen)['sessionId'])}`, body: '' }
            : undefined,
        answer: (seen, given) =>
          isAt(followUp, seen) && readRecord(given)['status'] === 'idle'
            ? { status: 409, body: { detail: 'Busy' } }
            : undefined,
      };
    },
  },
  {
    ...base,
    id: 'stateful-run-resurrection',
    breaks: 'An ended run is running again.',
    target: 'STATE-RUNS',
    tamper: laterAtEnd(at('GET', run), (record) => ({ ...record, status: 'running' })),
  },
  {
    ...base,
    id: 'stateful-late-cancel',
    breaks: 'The cancel of a completed run changes it.',
    target: 'STATE-RUNS',
    tamper: lateCancel,
  },
  {
    ...base,
    id: 'stateful-taken-back-runs',
    breaks: 'A withdrawn message runs after the previous run.',
    target: 'STATE-RUNS',
    tamper: takenBackRuns,
  },
  {
    ...base,
    id: 'stateful-second-run',
    breaks: 'A session with a running run accepts another run.',
    target: 'STATE-RUNS',
    tamper: takesSecond('/api/v4/runs', 409, 200),
  },
  {
    ...base,
    id: 'stateful-deleted-run-listed',
    breaks: 'The run of a deleted session stays in the list.',
    target: 'STATE-RUNS',
    tamper: stillListed(at('GET', '/api/v4/runs'), 'runs'),
  },
  {
    ...base,
    id: 'stateful-deleted-run-readable',
    breaks: 'The run of a deleted session is returned by the second GET.',
    target: 'STATE-RUNS',
    tamper: foundAgain(at('GET', run)),
  },
  {
    ...base,
    id: 'stateful-result-changes',
    breaks: 'The result of a run changes after its end.',
    target: 'STATE-RUNS',
    tamper: laterAtEnd(at('GET', run), (record, times) => ({
      ...record,
      result: record['result'] === null ? null : `Result ${times}`,
    })),
  },
  {
    ...base,
    id: 'stateful-task-resurrection',
    breaks: 'An ended task is started again.',
    target: 'STATE-TASKS',
    tamper: laterAtEnd(at('GET', task), (record) => ({ ...record, status: 'started' })),
  },
  {
    ...base,
    id: 'stateful-second-task',
    breaks: 'A session with a running task accepts another task.',
    target: 'STATE-TASKS',
    tamper: () => takesSecond('/api/v2/tasks', 400, 202),
  },
  {
    ...base,
    id: 'stateful-task-stop-breaks',
    breaks: 'The second stop of a task answers 500.',
    target: 'STATE-TASKS',
    tamper: repeatBreaks(at('PATCH', task)),
  },
  {
    ...base,
    id: 'stateful-deleted-task-readable',
    breaks: 'The task of a deleted session is returned by the second GET.',
    target: 'STATE-TASKS',
    tamper: foundAgain(at('GET', task)),
  },
  {
    ...onBrowsers,
    id: 'stateful-browser-resurrection',
    breaks: 'A stopped browser is active at the second GET.',
    target: 'STATE-BROWSERS',
    mayAlso: ['STATE-BROWSERS-BEYOND'],
    tamper: laterAtEnd(at('GET', browser), (record, times) => (times === 2 ? { ...record, status: 'active' } : record)),
  },
  {
    ...onBrowsers,
    id: 'stateful-browser-ends-itself',
    breaks: 'A running browser has the status stopped at the third GET.',
    target: 'STATE-BROWSERS',
    mayAlso: ['STATE-BROWSERS-BEYOND'],
    tamper: () => {
      const looks = counter();
      return {
        answer: (seen, given) =>
          isAt(at('GET', browser), seen) && looks(readId(seen)) >= 3
            ? { body: { ...readRecord(given), status: 'stopped' } }
            : undefined,
      };
    },
  },
  {
    ...onBrowsers,
    id: 'stateful-browser-stop-breaks',
    breaks: 'The second stop of a browser answers 500.',
    target: 'STATE-BROWSERS-BEYOND',
    tamper: repeatBreaks(at('PATCH', browser)),
  },
  {
    ...onBrowsers,
    id: 'stateful-browser-end-moves',
    breaks: 'finishedAt of a browser changes with every GET.',
    target: 'STATE-BROWSERS-BEYOND',
    tamper: laterAtEnd(at('GET', browser), (record, times) => ({
      ...record,
      finishedAt: new Date(times * 1000).toISOString(),
    })),
  },
];
