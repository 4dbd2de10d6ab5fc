import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Given, Mutant, Seen, Tamper } from '../mutant.ts';
import { at, isAt } from '../operation-tampers.ts';
import { jobs, sent } from '../tampers.ts';
import type { World } from '../world.ts';

const tasks = '/api/v2/tasks';
const runs = '/api/v4/runs';
const browsers = '/api/v4/browsers';

const unsupported = new Set(
  defaultRules.thinkingLevels.v2.flatMap(({ model, levels }) =>
    ['disabled', 'low', 'medium', 'high']
      .filter((level) => !levels.includes(level))
      .map((level) => `${model} ${level}`),
  ),
);

function isUnsupported(body: JsonObject): boolean {
  return unsupported.has(`${String(body['llm'])} ${String(body['thinkingLevel'])}`);
}

function isRefusal(seen: Seen, { status }: Given, path: string): boolean {
  return seen.method === 'POST' && seen.url === path && status === 422;
}

/** Statuses of V2 tasks and V4 runs that have not ended. */
const working = new Set(['created', 'started', 'queued', 'dispatching', 'running']);

/** Shows active jobs as ended while the latest creation at a path was refused with 422. */
function endsOnRefusal(version: 'v2' | 'v4', path: string, ended: JsonObject): () => Tamper {
  return () => {
    let isRefused = false;
    const shown = jobs(version, (record) =>
      isRefused && working.has(String(record['status'])) ? { ...record, ...ended } : record,
    );
    return {
      answer(seen, given) {
        if (seen.method === 'POST' && seen.url === path) isRefused = isRefusal(seen, given, path);
        return shown.answer?.(seen, given);
      },
    };
  };
}

/**
 * Changes the record of a V2 task in its fifth and later fetches with the given status. Counts the fetches of each URL
 * separately.
 */
function afterFourLooks(status: string, changed: JsonObject): () => Tamper {
  return () => {
    const looks = new Map<string, number>();
    return jobs('v2', (record, seen) => {
      if (seen.method !== 'GET' || record['status'] !== status) return record;
      const count = (looks.get(seen.url) ?? 0) + 1;
      looks.set(seen.url, count);
      return count > 4 ? { ...record, ...changed } : record;
    });
  };
}

/** Changes the body of a creation if the creation directly before it meets the condition `when`. */
function changesNext(
  path: string,
  when: (body: JsonObject) => boolean,
  change: (body: JsonObject) => JsonObject,
): () => Tamper {
  return () => {
    let isNext = false;
    return sent(path, (body) => {
      const wasNext = isNext;
      isNext = when(body);
      return wasNext ? change(body) : body;
    });
  };
}

/**
 * Stops the browser that a selected request names, even if the request is refused. Later fetches show the browser as
 * stopped.
 */
function stopsOn(which: (seen: Seen) => boolean): (world: World) => Tamper {
  return (world) => {
    const paths = new Map<string, string>();
    const stopped = new Set<string>();
    return {
      answer(seen, { body }) {
        const id = isJsonObject(body) ? String(body['id']) : '';
        if (isJsonObject(body) && typeof body['cdpUrl'] === 'string') paths.set(id, new URL(body['cdpUrl']).pathname);
        const named = seen.url.split('/').at(-1) ?? '';
        if (which(seen)) {
          stopped.add(named);
          void world.stop(paths.get(named) ?? '');
        }
        const isShown = seen.method === 'GET' && stopped.has(named) && isJsonObject(body);
        return isShown ? { body: { ...body, status: 'stopped' } } : undefined;
      },
    };
  };
}

/** Shows every fetched browser as stopped after the first selected request. */
function endsAfter(which: (seen: Seen) => boolean): () => Tamper {
  return () => {
    let isOver = false;
    return {
      answer(seen, { body }) {
        if (which(seen)) isOver = true;
        const isShown = isAt(at('GET', `${browsers}/*`), seen) && isOver && isJsonObject(body) && 'status' in body;
        return isShown ? { body: { ...body, status: 'stopped' } } : undefined;
      },
    };
  };
}

/** Shows every fetched browser as stopped after an answer below `path` has shown a job with the given status. */
function endsWithJobs(path: string, status: string): () => Tamper {
  return () => {
    let isOver = false;
    return {
      answer(seen, { body }) {
        if (!isJsonObject(body)) return undefined;
        if (seen.url.startsWith(path) && body['status'] === status) isOver = true;
        const isShown = isAt(at('GET', `${browsers}/*`), seen) && isOver;
        return isShown ? { body: { ...body, status: 'stopped' } } : undefined;
      },
    };
  };
}

const simulated = (text: string): string =>
  text.replace('v4: { browsers: null }', 'v4: { browsers: { drivable: false } }');

/** Servers on which refused requests, tasks or browsers affect later requests. */
export const lastingEffectMutants: readonly Mutant[] = [
  {
    id: 'v2-refusal-ends-session',
    breaks: 'A refused V2 task stops the session that it names.',
    server: 'reference',
    only: ['V2-SES-12'],
    target: 'V2-SES-12',
    tamper: () => {
      const refused = new Set<string>();
      return {
        answer(seen, given) {
          const { body } = given;
          if (isRefusal(seen, given, tasks) && isJsonObject(seen.body)) refused.add(String(seen.body['sessionId']));
          const id = seen.url.split('/').at(-1) ?? '';
          const isShown = isAt(at('GET', '/api/v2/sessions/*'), seen) && refused.has(id) && isJsonObject(body);
          return isShown ? { body: { ...body, status: 'stopped' } } : undefined;
        },
      };
    },
  },
  {
    id: 'v2-refusal-ends-tasks',
    breaks: 'A refused V2 task stops the running task.',
    server: 'reference',
    only: ['V2-TASK-10'],
    target: 'V2-TASK-10',
    tamper: endsOnRefusal('v2', tasks, { status: 'stopped' }),
  },
  {
    id: 'v4-fourth-read-ends-run',
    breaks: 'The fourth read of a V4 run that works ends it.',
    server: 'reference',
    only: ['V4-RUN-34'],
    target: 'V4-RUN-34',
    tamper: () => {
      const reads = new Map<unknown, number>();
      return jobs('v4', (run, { url }) => {
        if (!working.has(String(run['status'])) || !/\/runs\/[\w-]+$/.test(url)) return run;
        const count = (reads.get(run['id']) ?? 0) + 1;
        reads.set(run['id'], count);
        return count > 3 ? { ...run, status: 'cancelled' } : run;
      });
    },
  },
  {
    id: 'v4-refusal-ends-runs',
    breaks: 'A refused V4 run cancels the running run.',
    server: 'reference',
    only: ['V4-RUN-31'],
    target: 'V4-RUN-31',
    tamper: endsOnRefusal('v4', runs, { status: 'cancelled' }),
  },
  {
    id: 'v4-refusal-changes-session',
    breaks: 'A refused V4 run becomes the latest run of the session that it names.',
    server: 'reference',
    only: ['V4-SES-13'],
    target: 'V4-SES-13',
    tamper: () => {
      const refused = new Set<string>();
      return {
        answer(seen, given) {
          const { body } = given;
          if (isRefusal(seen, given, runs) && isJsonObject(seen.body)) refused.add(String(seen.body['sessionId']));
          const id = seen.url.split('/').at(-1) ?? '';
          const isShown = isAt(at('GET', '/api/v4/sessions/*'), seen) && refused.has(id) && isJsonObject(body);
          return isShown ? { body: { ...body, task: 'refused', status: 'failed' } } : undefined;
        },
      };
    },
  },
  {
    id: 'v2-stopped-finishes',
    breaks: 'A stopped V2 task has the status finished after a few GETs.',
    server: 'reference',
    only: ['V2-TASK-11'],
    target: 'V2-TASK-11',
    tamper: afterFourLooks('stopped', { status: 'finished', output: 'Done.' }),
  },
  {
    id: 'v2-output-is-lost',
    breaks: 'The output of a finished V2 task is null after a few GETs.',
    server: 'reference',
    only: ['V2-TASK-09'],
    target: 'V2-TASK-09',
    tamper: afterFourLooks('finished', { output: null }),
  },
  {
    id: 'v2-finished-starts-again',
    breaks: 'A finished V2 task is running again after a few GETs.',
    server: 'reference',
    only: ['V2-TASK-09'],
    target: 'V2-TASK-09',
    tamper: afterFourLooks('finished', { status: 'started', output: null }),
  },
  {
    id: 'v2-unchecked-after-accepted',
    breaks: 'After a task with an accepted level, V2 does not check the level of the next task.',
    server: 'reference',
    only: ['V2-THINK-34'],
    target: 'V2-THINK-34',
    tamper: changesNext(
      tasks,
      (body) => typeof body['thinkingLevel'] === 'string' && !isUnsupported(body),
      ({ thinkingLevel: _level, ...body }) => body,
    ),
  },
  {
    id: 'v4-unchecked-after-accepted',
    breaks: 'After a run with empty modelParams, V4 does not check modelParams of the next run.',
    server: 'reference',
    only: ['V4-PARAMS-35'],
    target: 'V4-PARAMS-35',
    tamper: changesNext(
      runs,
      ({ modelParams }) => isJsonObject(modelParams) && Object.keys(modelParams).length === 0,
      ({ modelParams: _params, ...body }) => body,
    ),
  },
  {
    id: 'v2-refused-once',
    breaks: 'V2 accepts a refused body when it is sent again.',
    server: 'reference',
    only: ['V2-THINK-REFUSES'],
    target: 'V2-THINK-REFUSES',
    tamper: () => {
      let last = '';
      return sent(tasks, (body) => {
        const isAgain = last === JSON.stringify(body) && isUnsupported(body);
        last = JSON.stringify(body);
        const { thinkingLevel: _level, ...rest } = body;
        return isAgain ? rest : body;
      });
    },
  },
  {
    id: 'v4-no-task-in-session',
    breaks: 'V4 accepts a run without a task for an existing session.',
    server: 'reference',
    only: ['V4-SES-12'],
    target: 'V4-SES-12',
    tamper: sent(runs, (body) =>
      typeof body['sessionId'] === 'string' && body['task'] === undefined
        ? { ...body, task: 'Reply with done.' }
        : body,
    ),
  },
  {
    id: 'v4-refused-in-session-with-400',
    breaks: 'V4 refuses an unsupported value for an existing session with 400.',
    server: 'reference',
    only: ['V4-SES-11'],
    target: 'V4-SES-11',
    tamper: {
      answer: (seen, given) =>
        isRefusal(seen, given, runs) && isJsonObject(seen.body) && 'sessionId' in seen.body
          ? { status: 400, body: { detail: 'not in this session' } }
          : undefined,
    },
  },
  {
    id: 'v4-path-of-other-spelling',
    breaks: 'V4 accepts the parameter paths of gemini models in snake case.',
    server: 'reference',
    only: ['V4-PARAMS-27'],
    target: 'V4-PARAMS-27',
    tamper: sent(runs, (body) =>
      JSON.stringify(body['modelParams'] ?? '').includes('thinking_config') ? { ...body, modelParams: {} } : body,
    ),
  },
  {
    id: 'v4-unlisted-path-with-400',
    breaks: 'V4 refuses unlisted parameter paths with 400.',
    server: 'reference',
    only: ['V4-PARAMS-27'],
    target: 'V4-PARAMS-27',
    tamper: {
      answer: (seen, given) =>
        isRefusal(seen, given, runs) && JSON.stringify(seen.body).includes('svc_unlisted')
          ? { status: 400, body: { detail: 'not listed' } }
          : undefined,
    },
  },
  {
    id: 'browser-refused-action-stops',
    breaks: 'PATCH with an unknown action is refused but stops the browser.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: stopsOn((seen) => seen.method === 'PATCH' && isJsonObject(seen.body) && seen.body['action'] !== 'stop'),
  },
  {
    id: 'browser-delete-stops',
    breaks: 'DELETE of a browser stops it.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: stopsOn((seen) => seen.method === 'DELETE' && seen.url.startsWith(`${browsers}/`)),
  },
  {
    id: 'browser-ends-with-runs',
    breaks: 'The end of a run stops the standalone browsers of its project.',
    server: 'reference',
    only: ['V4-BROWSER-26'],
    target: 'V4-BROWSER-26',
    targetFile: simulated,
    tamper: endsWithJobs(runs, 'completed'),
  },
  {
    id: 'browser-ends-with-tasks',
    breaks: 'The stop of a V2 task stops the standalone browsers of its project.',
    server: 'reference',
    only: ['V4-BROWSER-28'],
    target: 'V4-BROWSER-28',
    targetFile: simulated,
    tamper: endsWithJobs(tasks, 'stopped'),
  },
  {
    id: 'browser-ends-with-sessions',
    breaks: 'The stop of a V3 session stops the standalone browsers of its project.',
    server: 'reference',
    only: ['V4-BROWSER-29'],
    target: 'V4-BROWSER-29',
    targetFile: simulated,
    tamper: endsWithJobs('/api/v3/sessions', 'stopped'),
  },
  {
    id: 'browser-ends-with-its-profile',
    breaks: 'DELETE of a profile stops the browser that uses it.',
    server: 'reference',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    targetFile: simulated,
    tamper: endsAfter((seen) => seen.method === 'DELETE' && seen.url.startsWith('/api/v4/profiles/')),
  },
  {
    id: 'browser-ends-when-profile-is-shared',
    breaks: 'A browser with the profile of another browser stops the other browser.',
    server: 'reference',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    targetFile: simulated,
    tamper: () => {
      let count = 0;
      return endsAfter((seen) => {
        const isNamed = isJsonObject(seen.body) && typeof seen.body['profileId'] === 'string';
        count += seen.method === 'POST' && seen.url === browsers && isNamed ? 1 : 0;
        return count > 1;
      })();
    },
  },
  {
    id: 'browser-ends-at-downloads',
    breaks: 'A look at the downloads of a browser stops it.',
    server: 'reference',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    targetFile: simulated,
    tamper: endsAfter((seen) => seen.url.endsWith('/downloads')),
  },
  {
    id: 'browser-ends-without-pages',
    breaks: 'A browser stops when a client closes its last page.',
    server: 'scripted',
    only: ['V4-BROWSER-27'],
    target: 'V4-BROWSER-27',
    tamper: () => {
      const dead = new Set<string>();
      return {
        sockets: {
          open: ({ path }) => !dead.has(path),
          command: (path, method) => (method === 'Target.closeTarget' ? dead.add(path) : undefined),
        },
      };
    },
  },
];
