import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen } from '../mutant.ts';
import { at, rows, told } from '../operation-tampers.ts';
import { sent } from '../tampers.ts';

const driven = {
  profiles: ['values', 'PROFILE-07'],
  tasks: ['values', 'V2-VIEW-21'],
  sessions: ['values', 'V3-VIEW-01', 'V3-VIEW-07'],
  runs: ['values', 'V4-VIEW-14'],
} as const;

const later = (value: unknown): string => new Date(Date.parse(String(value)) + 1).toISOString();

/** Returns a function that changes the member `userId` of a profile. */
function users(change: (text: string) => string): (row: JsonObject) => JsonObject {
  return (row) => (typeof row['userId'] === 'string' ? { ...row, userId: change(row['userId']) } : row);
}

/** Servers that are wrong only for one value, on one page, in one of twenty responses, or after some time. */
export const rareMutants: readonly Mutant[] = [
  {
    id: 'rare-beyond-bmp',
    breaks: 'The response to a V2 profile update drops characters after the first 65,536.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-READBACK',
    tamper: told(
      at('PATCH', '/api/v2/profiles/*'),
      users((text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')),
    ),
  },
  {
    id: 'rare-markup-escaped',
    breaks: 'The response to a V3 profile update escapes HTML markup.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-READBACK',
    tamper: told(
      at('PATCH', '/api/v3/profiles/*'),
      users((text) => text.replaceAll('<', '&lt;')),
    ),
  },
  {
    id: 'rare-backslash-doubled',
    breaks: 'The response to a V4 profile update doubles backslashes.',
    server: 'reference',
    only: driven.profiles,
    target: 'VALUE-READBACK',
    tamper: told(
      at('PATCH', '/api/v4/profiles/*'),
      users((text) => text.replaceAll('\\', '\\\\')),
    ),
  },
  {
    id: 'rare-empty-label-lost',
    breaks: 'The list of V2 tasks omits metadata with an empty value.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: rows(at('GET', '/api/v2/tasks'), 'items', (found) =>
      found.map((row) =>
        isJsonObject(row['metadata'])
          ? {
              ...row,
              metadata: Object.fromEntries(Object.entries(row['metadata']).filter(([, value]) => value !== '')),
            }
          : row,
      ),
    ),
  },
  {
    id: 'rare-label-names-lowered',
    breaks: 'A V2 session shows the metadata keys of its tasks in lower case.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-READBACK',
    mayAlso: ['VALUE-CONSTANT'],
    tamper: told(at('GET', '/api/v2/sessions/*'), (record) => ({
      ...record,
      tasks: Array.isArray(record['tasks'])
        ? record['tasks'].filter(isJsonObject).map((task) => ({
            ...task,
            metadata: Object.fromEntries(
              Object.entries(isJsonObject(task['metadata']) ? task['metadata'] : {}).map(([name, value]) => [
                name.toLowerCase(),
                value,
              ]),
            ),
          }))
        : [],
    })),
  },
  {
    id: 'rare-second-page',
    breaks: 'The second page of V2 tasks shows another model.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-CONSTANT',
    mayAlso: ['VALUE-DEFAULTS'],
    tamper: rows(
      at('GET', '/api/v2/tasks', ({ url }) => url.includes('pageNumber=2')),
      'items',
      (found) => found.map((row) => ({ ...row, llm: 'svc-llm' })),
    ),
  },
  {
    id: 'rare-one-in-twenty',
    breaks: 'One in twenty GETs of a V3 session shows a later createdAt.',
    server: 'reference',
    // Areas that fetch sessions about a hundred times in total.
    only: ['values', 'lifecycle', 'session-record', 'v3-operations', 'v3-session-views'],
    target: 'VALUE-CONSTANT',
    mayAlso: ['VALUE-ORDER'],
    tamper: () => {
      let fetches = 0;
      return told(at('GET', '/api/v3/sessions/*'), (record) => {
        fetches += 1;
        return fetches % 20 === 0 ? { ...record, createdAt: later(record['createdAt']) } : record;
      });
    },
  },
  {
    id: 'rare-session-goes-on',
    breaks: 'A V4 session shows a later createdAt after another run or a new title.',
    server: 'reference',
    only: driven.runs,
    target: 'VALUE-CONSTANT',
    tamper: () => {
      const runs = new Map<string, Set<string>>();
      return told(at('GET', '/api/v4/sessions/*'), (record) => {
        const id = String(record['sessionId']);
        const seen = (runs.get(id) ?? new Set<string>()).add(String(record['latestRunId']));
        runs.set(id, seen);
        return seen.size > 1 || record['title'] !== null
          ? { ...record, createdAt: later(record['createdAt']) }
          : record;
      });
    },
  },
  {
    id: 'rare-page-of-one',
    breaks: 'A page of V3 sessions with the page size 1 states the page size 20.',
    server: 'reference',
    only: driven.sessions,
    target: 'VALUE-LISTS',
    mayAlso: ['V3-VIEW-01'],
    tamper: told(
      at('GET', '/api/v3/sessions', ({ url }) => url.includes('page_size=1&') || url.endsWith('page_size=1')),
      (page) => ({ ...page, pageSize: 20 }),
    ),
  },
  {
    id: 'rare-late-poll',
    breaks: 'From the second GET on, a stopped V2 task has the status started.',
    server: 'reference',
    only: driven.tasks,
    target: 'VALUE-ENDS',
    tamper: () => {
      const looks = new Map<string, number>();
      return told(at('GET', '/api/v2/tasks/*'), (record, { url }) => {
        const count = (looks.get(url) ?? 0) + 1;
        looks.set(url, count);
        return count > 1 && record['status'] === 'stopped' ? { ...record, status: 'started' } : record;
      });
    },
  },
  {
    id: 'rare-run-id-null',
    breaks: 'The answer to the creation of a V4 run with modelParams has no id.',
    server: 'reference',
    target: 'V4-RUN-25',
    mayAlso: ['V4-ANSWERS', 'V4-RUN-01'],
    tamper: told(at('POST', '/api/v4/runs', hasParams), (run) => ({ ...run, id: null })),
  },
  {
    id: 'rare-run-model',
    breaks: 'A V4 run with modelParams shows another model than its request named.',
    server: 'reference',
    target: 'V4-MODELS-ACCEPTED',
    tamper: told(at('POST', '/api/v4/runs', hasParams), (run) => ({ ...run, model: 'minimax-m3' })),
  },
  {
    id: 'rare-second-leaf',
    breaks: 'thinking.display takes any value beside a listed thinking.type.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'ERR-12', 'ERR-13', 'ERR-14'],
    tamper: sent('/api/v4/runs', (body) => {
      const params = body['modelParams'];
      const thinking = isJsonObject(params) ? params['thinking'] : undefined;
      if (!isJsonObject(params) || !isJsonObject(thinking)) return body;
      if (!['adaptive', 'disabled'].includes(String(thinking['type'])) || !('display' in thinking)) return body;
      return { ...body, modelParams: { ...params, thinking: { ...thinking, display: 'omitted' } } };
    }),
  },
  {
    id: 'rare-cut-value',
    breaks: 'A value of modelParams is listed when a listed value begins with it.',
    server: 'reference',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', 'ERR-12', 'ERR-13', 'ERR-14'],
    tamper: sent('/api/v4/runs', (body) => {
      const params = body['modelParams'];
      const reasoning = isJsonObject(params) ? params['reasoning'] : undefined;
      if (!isJsonObject(params) || !isJsonObject(reasoning)) return body;
      const listed = ['none', 'low', 'medium', 'high'].find(
        (word) => typeof reasoning['effort'] === 'string' && word.startsWith(reasoning['effort'] || '-'),
      );
      if (listed === undefined) return body;
      return { ...body, modelParams: { ...params, reasoning: { ...reasoning, effort: listed } } };
    }),
  },
  {
    id: 'rare-control-of-one-model',
    breaks: 'gemini-3-flash takes a token budget.',
    server: 'reference',
    target: 'V4-PARAMS-27',
    mayAlso: ['ERR-08'],
    tamper: sent('/api/v4/runs', (body) => {
      const params = body['modelParams'];
      const config = isJsonObject(params) ? params['thinkingConfig'] : undefined;
      if (body['model'] !== 'gemini-3-flash' || !isJsonObject(params) || !isJsonObject(config)) return body;
      const { thinkingBudget: _budget, ...rest } = config;
      return { ...body, modelParams: { ...params, thinkingConfig: rest } };
    }),
  },
  {
    id: 'rare-plain-text',
    breaks: 'The record of a V4 run is JSON that is declared as plain text.',
    server: 'reference',
    target: 'GEN-02',
    mayAlso: ['V4-ANSWERS', 'INTERFACE-02'],
    tamper: {
      answer: ({ method, url }, { headers }) =>
        method === 'GET' && /^\/api\/v4\/runs\/[\w-]+$/.test(url)
          ? { headers: { ...headers, 'content-type': 'text/plain' } }
          : undefined,
    },
  },
  {
    id: 'rare-model-unknown',
    breaks: 'V2 does not know claude-opus-5, which shows in refusals of a level too.',
    server: 'reference',
    target: 'V3-ENUM-02',
    tamper: {
      answer: ({ method, url, body: asked }, { status, body }) => {
        if (method !== 'POST' || url !== '/api/v2/tasks' || status !== 422) return undefined;
        if (!isJsonObject(asked) || asked['llm'] !== 'claude-opus-5' || !isJsonObject(body)) return undefined;
        const { detail } = body;
        const unknown = { loc: ['body', 'llm'], msg: 'not a listed model', type: 'enum' };
        return Array.isArray(detail) ? { body: { ...body, detail: [unknown, ...detail] } } : undefined;
      },
    },
  },
  {
    id: 'rare-declared-read',
    breaks: 'GET of a V3 session with the header content-type is 400.',
    server: 'reference',
    target: 'GEN-02',
    tamper: {
      answer: ({ method, url, headers }) =>
        method === 'GET' && url.startsWith('/api/v3/sessions/') && headers['content-type'] !== undefined
          ? { status: 400, body: { detail: 'Body is empty' } }
          : undefined,
    },
  },
];

function hasParams({ body }: Seen): boolean {
  return isJsonObject(body) && isJsonObject(body['modelParams']) && Object.keys(body['modelParams']).length > 0;
}
