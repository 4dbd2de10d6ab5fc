import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { at, readBody, both, told, turns } from '../operation-tampers.ts';
import { created, fetched, followed, records } from '../tampers.ts';
import { livePages } from '../live-page-tampers.ts';

/**
 * The area of laws about all fetches of a session, and requirements whose scenarios create sessions with several tasks.
 */
const laws = ['session-history', 'LIFE-16', 'V3-FOLLOW-01'] as const;

const sessions = '/api/v3/sessions';

function isStop({ method, url }: Seen): boolean {
  return method === 'POST' && url.startsWith(`${sessions}/`) && url.endsWith('/stop');
}

/** Changes the fetched records of a session after its first accepted stop. */
function afterStop(members: (record: JsonObject) => JsonObject): () => Tamper {
  return () => {
    const stopped = new Set<unknown>();
    return both(
      {
        answer: (seen, { status }) => {
          if (isStop(seen) && status < 300) stopped.add(seen.url.split('/').at(-2));
          return undefined;
        },
      },
      fetched((record) => (stopped.has(record['id']) ? { ...record, ...members(record) } : record)),
    );
  };
}

/** Shows a stopped session as idle after its second stop. */
const revived = (): Tamper => {
  const stops = new Map<unknown, number>();
  return both(
    {
      answer: (seen) => {
        const id = seen.url.split('/').at(-2);
        if (isStop(seen)) stops.set(id, (stops.get(id) ?? 0) + 1);
        return undefined;
      },
    },
    fetched((record) => ((stops.get(record['id']) ?? 0) > 1 ? { ...record, status: 'idle' } : record)),
  );
};

/**
 * Shows a later `updatedAt` for a session after refused follow-ups: one millisecond for each follow-up with the answer
 * 422.
 */
const touched = (): Tamper => {
  const refusals = new Map<unknown, number>();
  return both(
    {
      answer: (seen, { status }) => {
        const { sessionId } = readBody(seen);
        if (seen.method === 'POST' && status === 422) refusals.set(sessionId, (refusals.get(sessionId) ?? 0) + 1);
        return undefined;
      },
    },
    fetched((record) => {
      const updatedMs = Date.parse(String(record['updatedAt'])) + (refusals.get(record['id']) ?? 0);
      return { ...record, updatedAt: new Date(updatedMs).toISOString() };
    }),
  );
};

/** Shows the other sessions of a workspace as stopped after the stop of one of its sessions. */
const stopsWorkspace = (): Tamper => {
  const workspaces = new Map<unknown, unknown>();
  const stopped = new Set<unknown>();
  return both(
    {
      answer: (seen, { status }) => {
        const workspaceId = workspaces.get(seen.url.split('/').at(-2));
        if (isStop(seen) && status < 300) stopped.add(workspaceId ?? {});
        return undefined;
      },
    },
    fetched((record) => {
      if (record['workspaceId'] !== null) workspaces.set(record['id'], record['workspaceId']);
      return stopped.has(record['workspaceId']) ? { ...record, status: 'stopped' } : record;
    }),
  );
};

/** Changes the fetched records of a session after its first accepted follow-up. */
function afterFollowUp(members: (record: JsonObject) => JsonObject): () => Tamper {
  return () => {
    const resumed = new Set<unknown>();
    return both(
      {
        answer: (seen, { status }) => {
          const { sessionId } = readBody(seen);
          if (seen.method === 'POST' && status < 300 && sessionId !== undefined) resumed.add(sessionId);
          return undefined;
        },
      },
      fetched((record) => (resumed.has(record['id']) ? { ...record, ...members(record) } : record)),
    );
  };
}

/** Ignores the level of each follow-up of a session whose level a follow-up has cleared. */
const deafAfterNull = (): Tamper => {
  const cleared = new Set<unknown>();
  return followed(({ thinkingLevel, ...body }) => {
    const isIgnored = cleared.has(body['sessionId']) || thinkingLevel === undefined;
    if (thinkingLevel === null) cleared.add(body['sessionId']);
    return isIgnored ? body : { ...body, thinkingLevel };
  });
};

/** Clears the level of a session with a follow-up that omits it, if the task before was not successful. */
const forgetsAfterFailure = (): Tamper => {
  const failed = new Set<unknown>();
  return both(
    followed((body) =>
      failed.has(body['sessionId']) && body['thinkingLevel'] === undefined ? { ...body, thinkingLevel: null } : body,
    ),
    fetched((record) => {
      if (record['isTaskSuccessful'] === false) failed.add(record['id']);
      return record;
    }),
  );
};

/** Shows in lists the level with which a session was first fetched. */
const listsFirstLevel = (): Tamper => {
  const first = new Map<unknown, JsonObject[string]>();
  return records((record, seen) => {
    if (!first.has(record['id'])) first.set(record['id'], record['thinkingLevel'] ?? null);
    const isList = seen.method === 'GET' && seen.url.split('?')[0] === sessions;
    return isList ? { ...record, thinkingLevel: first.get(record['id']) ?? null } : record;
  });
};

/** Servers whose V3 sessions change members that no request has set. */
export const continuityMutants: readonly Mutant[] = [
  {
    id: 'continuity-recording-declined',
    breaks: 'A session that was created with enableRecording false is recorded.',
    server: 'reference',
    only: ['V3-HISTORY-16', 'V3-THINK-27'],
    target: 'V3-HISTORY-16',
    tamper: created((body) => (body['enableRecording'] === false ? { ...body, enableRecording: true } : body)),
  },
  {
    id: 'continuity-second-stop-revives',
    breaks: 'The second stop of a session makes it idle.',
    server: 'reference',
    only: [...laws, 'V3-STOP-01'],
    target: 'V3-HISTORY-08',
    mayAlso: ['LIFE-01', 'LIFE-17', 'V3-STOP-01', 'V3-STOP-02'],
    tamper: revived,
  },
  {
    id: 'continuity-refusal-touches',
    breaks: 'A follow-up that is refused with 422 changes updatedAt.',
    server: 'reference',
    only: [...laws],
    target: 'V3-HISTORY-11',
    tamper: touched,
  },
  {
    id: 'continuity-stop-of-workspace',
    breaks: 'The stop of a session stops the other sessions of its workspace.',
    server: 'reference',
    only: [...laws, 'LIFE-06'],
    target: 'LIFE-06',
    mayAlso: ['V3-HISTORY-08', 'V3-FOLLOW-01', 'V3-HISTORY-11'],
    tamper: stopsWorkspace,
  },
  {
    id: 'continuity-output-lost-at-stop',
    breaks: 'A stop clears the output of a task that had ended.',
    server: 'reference',
    only: [...laws, 'V3-STOP-01'],
    target: 'V3-HISTORY-14',
    tamper: afterStop(() => ({ output: null })),
  },
  {
    id: 'continuity-steps-at-stop',
    breaks: 'A stop adds a step to a session whose tasks had ended.',
    server: 'reference',
    only: [...laws, 'V3-STOP-01'],
    target: 'V3-HISTORY-14',
    mayAlso: ['V3-HISTORY-13'],
    tamper: afterStop(({ stepCount }) => ({ stepCount: Number(stepCount) + 1 })),
  },
  {
    id: 'continuity-level-of-follow-up',
    breaks: 'A session has the level low after its first follow-up instead of the requested level.',
    server: 'reference',
    only: [...laws, 'V3-THINK-27'],
    target: 'V3-HISTORY-15',
    mayAlso: ['V3-THINK-27', 'V3-HISTORY-08', 'V3-HISTORY-11'],
    tamper: afterFollowUp(() => ({ thinkingLevel: 'low' })),
  },
  {
    id: 'continuity-level-after-null',
    breaks: 'A session ignores the level of a follow-up after null has cleared its level.',
    server: 'reference',
    only: [...laws, 'V3-THINK-27'],
    seed: 2,
    target: 'V3-THINK-27',
    mayAlso: ['V3-HISTORY-15'],
    tamper: deafAfterNull,
  },
  {
    id: 'continuity-level-after-failure',
    breaks: 'A follow-up without a level clears the level of a session whose last task has failed.',
    server: 'reference',
    only: [...laws, 'V3-THINK-27'],
    seed: 2,
    target: 'V3-THINK-27',
    mayAlso: ['V3-HISTORY-15', 'V3-THINK-26'],
    tamper: forgetsAfterFailure,
  },
  {
    id: 'continuity-level-in-lists',
    breaks: 'Lists show the level that a session had at first.',
    server: 'reference',
    only: [...laws, 'V3-THINK-27'],
    target: 'V3-HISTORY-08',
    tamper: listsFirstLevel,
  },
  {
    id: 'continuity-country-of-follow-up',
    breaks: 'A follow-up to a session without a proxy sets its country to us.',
    server: 'reference',
    only: ['session-history', 'V3-CREATE-09', 'V3-HISTORY-15'],
    target: 'V3-HISTORY-15',
    tamper: () => {
      const resumed = new Set<unknown>();
      return both(
        {
          answer: (seen, { status }) => {
            const { sessionId } = readBody(seen);
            if (seen.method === 'POST' && status < 300 && typeof sessionId === 'string') resumed.add(sessionId);
            return undefined;
          },
        },
        fetched((record) =>
          resumed.has(record['id']) && record['proxyCountryCode'] === null
            ? { ...record, proxyCountryCode: 'us' }
            : record,
        ),
      );
    },
  },
  {
    id: 'continuity-level-unasked',
    breaks: 'A session that was created without a level shows medium.',
    server: 'reference',
    only: [...laws, 'V3-SESSION-22'],
    target: 'V3-HISTORY-16',
    mayAlso: ['V3-HISTORY-08', 'V3-HISTORY-15'],
    tamper: fetched((record) => ({ ...record, thinkingLevel: record['thinkingLevel'] ?? 'medium' })),
  },
  {
    id: 'continuity-title-before-task',
    breaks: 'A session without a task has a title.',
    server: 'reference',
    only: ['session-history', 'V3-SESSION-22'],
    target: 'V3-HISTORY-17',
    tamper: fetched((record) => ({ ...record, title: record['title'] ?? 'Untitled' })),
  },
  {
    id: 'continuity-browser-refund',
    breaks: 'The browser cost of a session that has ended is below 0.',
    server: 'reference',
    only: laws,
    target: 'V3-HISTORY-18',
    tamper: fetched((record) => (record['status'] === 'stopped' ? { ...record, browserCostUsd: '-0.01' } : record)),
  },
  {
    id: 'continuity-hour-ahead',
    breaks: 'createdAt and updatedAt are an hour in the future.',
    server: 'reference',
    only: laws,
    target: 'V3-HISTORY-19',
    targetFile: (text) => text.replace(/^control: .*$/m, ''),
    tamper: records((record) => ({ ...record, ...later(record, 'createdAt'), ...later(record, 'updatedAt') })),
  },
  {
    id: 'continuity-updated-back',
    breaks: 'updatedAt of a session returns to the time of its creation after a follow-up.',
    server: 'reference',
    only: laws,
    target: 'V3-HISTORY-03',
    tamper: afterFollowUp(({ createdAt }) => ({ updatedAt: createdAt ?? null })),
  },
  {
    id: 'continuity-live-view-shared',
    breaks: 'Every session shows the live view of the first one.',
    server: 'reference',
    only: [...laws, 'V3-SESSION-24'],
    target: 'V3-HISTORY-20',
    mayAlso: ['V3-SESSION-24'],
    tamper: () => {
      let first: JsonObject[string];
      return records((record) => ({ ...record, liveUrl: (first ??= record['liveUrl'] ?? null) }));
    },
  },
  {
    id: 'continuity-live-view-late',
    breaks: 'liveUrl is null in the answer to a creation without a task.',
    server: 'reference',
    only: [...laws, 'V3-STOP-03', 'V3-SESSION-24'],
    target: 'V3-SESSION-24',
    tamper: told(
      at('POST', sessions, (seen) => readBody(seen)['task'] === undefined),
      (body) => ({ ...body, liveUrl: null }),
    ),
  },
  {
    id: 'continuity-screenshots-in-turn',
    breaks: 'screenshotUrl alternates between two URLs.',
    server: 'reference',
    only: ['V3-SESSION-42'],
    target: 'V3-SESSION-42',
    tamper: () => {
      const shown = new Map<unknown, JsonObject[string][]>();
      return fetched((record) => {
        const { id, screenshotUrl } = record;
        if (typeof screenshotUrl !== 'string') return record;
        const kept = shown.get(id) ?? [];
        shown.set(id, kept);
        kept.push(kept.length < 2 ? screenshotUrl : (kept.at(-2) ?? null));
        return { ...record, screenshotUrl: kept.at(-1) ?? null };
      });
    },
  },
  {
    id: 'continuity-second-success-lost',
    breaks: 'isTaskSuccessful of a follow-up is null after its end.',
    server: 'reference',
    only: ['LIFE-15'],
    target: 'LIFE-15',
    tamper: afterFollowUp(() => ({ isTaskSuccessful: null })),
  },
  {
    id: 'continuity-kept-output-null',
    breaks: 'output of a session with keepAlive is null after a successful task.',
    server: 'reference',
    only: ['LIFE-15'],
    target: 'LIFE-15',
    tamper: fetched((record) => (record['status'] === 'idle' ? { ...record, output: null } : record)),
  },
  {
    id: 'continuity-empty-stays-created',
    breaks: 'A session without a task keeps the status created.',
    server: 'reference',
    only: ['LIFE-09'],
    target: 'LIFE-09',
    tamper: fetched((record) => (record['status'] === 'idle' ? { ...record, status: 'created' } : record)),
  },
  {
    id: 'continuity-kept-stops',
    breaks: 'A session with keepAlive stops after a failed task.',
    server: 'reference',
    only: ['LIFE-06', 'V3-FOLLOW-03'],
    target: 'LIFE-06',
    tamper: fetched((record) =>
      record['status'] === 'idle' && record['isTaskSuccessful'] === false ? { ...record, status: 'stopped' } : record,
    ),
  },
  {
    id: 'continuity-one-off-stays-idle',
    breaks: 'A session with keepAlive false stays idle after a task in code mode.',
    server: 'reference',
    only: ['LIFE-16', 'V3-FOLLOW-03'],
    target: 'LIFE-16',
    tamper: fetched((record) =>
      record['status'] === 'stopped' && isJsonObject(record['output']) ? { ...record, status: 'idle' } : record,
    ),
  },
  {
    id: 'continuity-profile-stays-idle',
    breaks: 'A session with a profile and keepAlive false stays idle after its task.',
    server: 'reference',
    only: ['LIFE-16', 'V3-FOLLOW-03'],
    target: 'LIFE-16',
    tamper: fetched((record) =>
      record['status'] === 'stopped' && record['profileId'] !== null && record['isTaskSuccessful'] === true
        ? { ...record, status: 'idle' }
        : record,
    ),
  },
  {
    id: 'continuity-alias-refused',
    breaks: 'A follow-up with a level is refused in a session that was created with an alias.',
    server: 'reference',
    only: ['V3-FOLLOW-03'],
    target: 'V3-FOLLOW-03',
    tamper: {
      request: (seen) => {
        const body = readBody(seen);
        const isWrong = seen.method === 'POST' && body['codeMode'] === true && body['sessionId'] !== undefined;
        return isWrong ? { body: { ...body, thinkingLevel: 'none' } } : undefined;
      },
    },
  },
  {
    id: 'continuity-timed-out-forgotten',
    breaks: 'A session answers 404 after three GETs that follow its end.',
    server: 'reference',
    only: ['identity', 'session-history', 'LIFE-16'],
    target: 'IDENTITY-03',
    mayAlso: ['V3-HISTORY-08'],
    tamper: () => {
      const ends = new Map<unknown, number>();
      return {
        answer: ({ method, url }, { body }) => {
          if (method !== 'GET' || !url.startsWith(`${sessions}/`) || !isJsonObject(body)) return undefined;
          if (body['status'] === 'stopped') ends.set(body['id'], (ends.get(body['id']) ?? 0) + 1);
          return (ends.get(body['id']) ?? 0) > 2 ? { status: 404, body: { detail: 'Session not found' } } : undefined;
        },
      };
    },
  },
  {
    id: 'continuity-follow-up-text',
    breaks: 'The text of a refused follow-up names the default model.',
    server: 'reference',
    only: ['V3-THINK-29'],
    target: 'V3-THINK-29',
    tamper: {
      answer: (seen, { status, body }) =>
        status === 422 && readBody(seen)['sessionId'] !== undefined
          ? { body: JSON.parse(JSON.stringify(body).replaceAll('glm-5.2', 'claude-opus-4.7')) as unknown }
          : undefined,
    },
  },
  {
    id: 'continuity-null-level-refused',
    breaks: 'thinkingLevel null is refused for minimax-m3.',
    server: 'reference',
    only: ['V3-THINK-ACCEPTS'],
    target: 'V3-THINK-ACCEPTS',
    tamper: {
      request: (seen) => {
        const body = readBody(seen);
        return body['model'] === 'minimax-m3' && body['thinkingLevel'] === null
          ? { body: { ...body, thinkingLevel: 'high' } }
          : undefined;
      },
    },
  },
  {
    id: 'continuity-recording-page',
    breaks: 'A recording URL returns no recording.',
    server: 'reference',
    only: ['V3-SESSION-28'],
    target: 'V3-SESSION-28',
    tamper: { addresses: true, ...turns(at('GET', '/recordings/*'), 200, { body: '' }) },
  },
  {
    id: 'continuity-recording-without-task',
    breaks: 'A stopped session that had no task shows a recording.',
    server: 'reference',
    only: ['V3-HISTORY-16'],
    target: 'V3-HISTORY-16',
    tamper: fetched((record) =>
      record['status'] === 'stopped' && record['title'] === null
        ? { ...record, recordingUrls: ['http://127.0.0.1/recordings/none.webm'] }
        : record,
    ),
  },
  {
    id: 'continuity-live-view-relative',
    breaks: 'liveUrl has no host.',
    server: 'reference',
    only: ['V3-SESSION-24'],
    target: 'V3-SESSION-24',
    tamper: records((record) => ({
      ...record,
      liveUrl: typeof record['liveUrl'] === 'string' ? new URL(record['liveUrl']).pathname : null,
    })),
  },
  {
    id: 'continuity-live-view-guarded-at-work',
    breaks: 'The page of liveUrl forbids embedding in a frame while a task runs.',
    server: 'reference',
    only: ['V3-SESSION-25'],
    target: 'V3-SESSION-25',
    tamper: both(
      livePages(({ url }, { headers }) =>
        url.includes('guarded=1') ? { headers: { ...headers, 'x-frame-options': 'DENY' } } : undefined,
      ),
      fetched((record) =>
        record['status'] === 'running' ? { ...record, liveUrl: guarded(record['liveUrl']) } : record,
      ),
    ),
  },
  {
    id: 'continuity-screenshot-fragment',
    breaks: 'screenshotUrl of a session differs between fetches only in its fragment.',
    server: 'reference',
    only: ['V3-SESSION-42'],
    target: 'V3-SESSION-42',
    tamper: () => {
      const first = new Map<unknown, string>();
      let count = 0;
      return fetched((record) => {
        const { id, screenshotUrl } = record;
        if (typeof screenshotUrl !== 'string') return record;
        const kept = first.get(id) ?? screenshotUrl;
        first.set(id, kept);
        return { ...record, screenshotUrl: `${kept}#${(count += 1)}` };
      });
    },
  },
  {
    id: 'continuity-live-view-of-creation',
    breaks: 'liveUrl in the answer to a creation leads to no page.',
    server: 'reference',
    only: ['V3-SESSION-24', 'V3-STOP-03'],
    target: 'V3-SESSION-24',
    tamper: told(at('POST', sessions), (body) => ({
      ...body,
      liveUrl: typeof body['liveUrl'] === 'string' ? new URL('/no-such-page', body['liveUrl']).href : null,
    })),
  },
  {
    id: 'continuity-recordings-lost-at-stop',
    breaks: 'A stop of an idle session clears its recordings.',
    server: 'reference',
    only: [...laws, 'LIFE-02', 'V3-STOP-01'],
    target: 'V3-HISTORY-14',
    tamper: afterStop(() => ({ recordingUrls: [] })),
  },
  {
    id: 'continuity-keyless-stop',
    breaks: 'A stop without a key is refused but stops the session.',
    server: 'reference',
    only: ['EFFECT-03'],
    target: 'EFFECT-03',
    tamper: () => {
      const stopped = new Set<unknown>();
      return both(
        {
          answer: (seen, { status }) => {
            if (isStop(seen) && status === 401) stopped.add(seen.url.split('/').at(-2));
            return undefined;
          },
        },
        fetched((record) => (stopped.has(record['id']) ? { ...record, status: 'stopped' } : record)),
      );
    },
  },
];

/** Returns the URL of a live view with an additional query parameter; null if there is no URL. */
function guarded(url: JsonObject[string] | undefined): JsonObject[string] {
  if (typeof url !== 'string') return null;
  const changed = new URL(url);
  changed.searchParams.set('guarded', '1');
  return changed.href;
}

function later(record: JsonObject, member: string): JsonObject {
  return { [member]: new Date(Date.parse(String(record[member])) + 3_600_000).toISOString() };
}
