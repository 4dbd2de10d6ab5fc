import { describe, expect, it } from 'vitest';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Seen, Tamper } from './mutant.ts';
import { records } from './tampers.ts';
import { legalVariants } from './legal-variants.ts';
import { judge } from './run-mutant.ts';

/** Changes the JSON object in the body of each answer that meets a condition. */
function changes(
  when: (seen: Seen, given: Given) => boolean,
  change: (body: JsonObject, seen: Seen) => JsonObject,
): Tamper {
  return {
    answer: (seen, given) =>
      when(seen, given) && isJsonObject(given.body) ? { body: change(given.body, seen) } : undefined,
  };
}

const reversed = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject).toReversed() : [];

/**
 * Ends each slow task at once. The first read of such a task nevertheless shows it as working, and every record shows
 * the task text that was sent.
 */
function endingAtOnce(): Tamper {
  const slow = new Set<string>();
  const texts = new Map<string, string>();
  return {
    request: ({ method, body }) =>
      method === 'POST' && isJsonObject(body) && String(body['task']).includes(' slow ')
        ? { body: { ...body, task: 'svc-test: succeed at once' } }
        : undefined,
    answer: ({ method, url, body: sent }, { status, body }) => {
      if (status >= 300 || !isJsonObject(body)) return undefined;
      const isSlow = method === 'POST' && isJsonObject(sent) && String(sent['task']).includes(' slow ');
      if (isSlow) {
        slow.add(String(body['id']));
        texts.set(String(body['id']), String(sent['task']));
      }
      const [id, task] = [...texts].find(([one]) => url.includes(one)) ?? [];
      if (id === undefined) return undefined;
      const shown = { ...body, ...('task' in body ? { task } : {}) };
      if (method !== 'GET' || !slow.delete(id)) return { body: shown };
      const works = url.startsWith('/api/v2')
        ? { status: 'started', output: null, isSuccess: null, finishedAt: null }
        : { status: 'running' };
      return { body: { ...shown, ...works } };
    },
  };
}

/** Shows a V2 task as finished from the first PATCH of the task on, for example a request to pause it. */
function endingWhenAsked(): Tamper {
  const over = new Set<string>();
  return {
    answer: ({ method, url }, { body }) => {
      const id = /^\/api\/v2\/tasks\/([\w-]+)/.exec(url)?.[1] ?? '';
      if (method === 'PATCH') over.add(id);
      if (!over.has(id) || !isJsonObject(body) || body['status'] === undefined) return undefined;
      return { body: { ...body, status: 'finished', isSuccess: true } };
    },
  };
}

/**
 * For each generation, a different notation of the fraction of a second and the time zone. `ms` is the fraction with
 * three digits.
 */
const fractions: Readonly<Record<string, (ms: string) => string>> = {
  v2: (ms) => `${ms}000`,
  v3: (ms) => `${ms}417+00:00`,
  v4: (ms) => `${ms.slice(0, 2)}Z`,
};

/** Stores V3 uploads at a path that consists of the prefix and the name, without a slash between them. */
function literalPrefix(): Tamper {
  const prefixIn = ({ url }: Seen): string =>
    /^\/api\/v3\/workspaces\/[\w-]+\/files\/upload\?/.test(url)
      ? (new URL(url, 'http://x').searchParams.get('prefix') ?? '')
      : '';
  const named = (body: unknown, rename: (name: string) => string): JsonObject | undefined =>
    isJsonObject(body) && Array.isArray(body['files'])
      ? {
          ...body,
          files: body['files'].filter(isJsonObject).map((file) => ({ ...file, name: rename(String(file['name'])) })),
        }
      : undefined;
  const isMeant = (seen: Seen): boolean => prefixIn(seen) !== '' && !prefixIn(seen).endsWith('/');
  return {
    request: (seen) =>
      isMeant(seen)
        ? { url: seen.url.split('?')[0] ?? '', body: named(seen.body, (name) => prefixIn(seen) + name) }
        : undefined,
    answer: (seen, { body }) =>
      isMeant(seen) ? { body: named(body, (name) => name.slice(prefixIn(seen).length)) ?? body } : undefined,
  };
}

/** Legal choices about rules of the companion, which go beyond the contract. */
const legal: readonly { name: string; only: string[]; tamper: Tamper | (() => Tamper) }[] = [
  {
    name: 'slow tasks that end before the next request',
    only: ['v2-task-views', 'v4-run-views'],
    tamper: endingAtOnce,
  },
  {
    name: 'a plan that is null',
    only: ['account', 'V2-ANSWERS', 'V3-ANSWERS'],
    tamper: changes(
      ({ url }) => url.endsWith('/billing/account'),
      (body) => ({ ...body, planInfo: null }),
    ),
  },
  {
    name: 'a deleted V4 workspace that is 404',
    only: ['workspaces'],
    tamper: {
      answer: (seen, { body }) =>
        seen.method === 'GET' && isJsonObject(body) && body['archived'] === true
          ? { status: 404, body: { detail: 'Workspace not found' } }
          : undefined,
    },
  },
  {
    name: 'a V4 name bound of 100 characters',
    only: ['workspaces'],
    tamper: {
      request: ({ url, body }) =>
        url.startsWith('/api/v4/workspaces') && isJsonObject(body) && String(body['name'] ?? '').length > 100
          ? { body: { name: 'x'.repeat(256) } }
          : undefined,
    },
  },
  {
    name: 'lists that show the oldest first',
    only: ['profiles', 'workspaces'],
    tamper: () => {
      const whole = /\?query=[^&]*$/;
      return changes(
        ({ method, url }) => method === 'GET' && whole.test(url),
        (body) => ({
          ...body,
          items: reversed(body['items']),
        }),
      );
    },
  },
  {
    name: 'an address with a member that means nothing',
    only: ['files'],
    tamper: changes(
      ({ url }) => url.includes('/files'),
      (body) => ({
        ...body,
        ...(Array.isArray(body['files'])
          ? {
              files: body['files'].filter(isJsonObject).map((file) => ({
                ...file,
                ...(typeof file['url'] === 'string' ? { url: `${file['url']}&hint=invoice` } : {}),
              })),
            }
          : {}),
      }),
    ),
  },
  {
    name: 'folders with and without a slash',
    only: ['files'],
    tamper: changes(
      ({ url }) => url.includes('shallow='),
      (body) => ({
        ...body,
        folders: Array.isArray(body['folders']) ? body['folders'].map((name) => String(name).replace(/\/$/, '')) : [],
      }),
    ),
  },
  {
    name: 'times with an offset in lists',
    only: ['values', 'V4-VIEW-14', 'V3-VIEW-07', 'PROFILE-07'],
    tamper: changes(
      ({ method, url }) => method === 'GET' && /\/(runs|sessions|profiles)\?/.test(url) && !url.startsWith('/api/v2/'),
      (body) => JSON.parse(JSON.stringify(body).replaceAll(/(:\d{2}\.\d{3})Z"/g, '$1+00:00"')),
    ),
  },
  {
    name: 'V2 task times without an offset',
    only: ['v2-task-views', 'v2-tasks', 'values', 'pages'],
    tamper: changes(
      ({ url }) => url.startsWith('/api/v2/tasks'),
      (body) => JSON.parse(JSON.stringify(body).replaceAll(/("(?:createdAt|startedAt|finishedAt)":"[^"]*)Z"/g, '$1"')),
    ),
  },
  {
    name: 'a second stop that is refused with 409',
    only: ['values', 'V2-VIEW-21', 'V2-SES-01'],
    tamper: () => {
      const stopped = new Set<string>();
      return {
        answer: ({ method, url, body }, { status }) => {
          const stops = method === 'PATCH' && isJsonObject(body) && body['action'] === 'stop' && status === 200;
          const again = stopped.has(url);
          if (stops) stopped.add(url);
          return stops && again ? { status: 409, body: { detail: 'Has stopped' } } : undefined;
        },
      };
    },
  },
  {
    name: 'session times in whole seconds, of another clock and zone',
    only: ['session-history', 'identity', 'values', 'LIFE-16', 'V3-FOLLOW-01', 'V3-CREATE-10'],
    tamper: () =>
      records((record) => ({
        ...record,
        createdAt: shiftTime(record['createdAt']),
        updatedAt: shiftTime(record['updatedAt']),
      })),
  },
  {
    name: 'V3 paths that are a prefix and a name',
    only: ['files'],
    tamper: literalPrefix(),
  },
  {
    name: 'times with other digits by generation',
    only: ['values', 'profiles', 'workspaces', 'files', 'V3-VIEW-07', 'V4-VIEW-14', 'v2-task-views'],
    tamper: changes(
      ({ url }, { status }) => url.startsWith('/api/') && status < 300,
      (body, { url }) =>
        JSON.parse(
          JSON.stringify(body).replaceAll(
            /("\w+At":"[^".]+)\.(\d{3})Z"/g,
            (_all, start: string, ms: string) => `${start}.${fractions[url.slice('/api/'.length, 7)]?.(ms) ?? ms}"`,
          ),
        ),
    ),
  },
  ...Object.entries({ text: 'no usable key', HTML: '<p>no usable key</p>', nothing: '' }).map(([form, body]) => ({
    name: `${form} as the body of a V2 or V4 401`,
    only: ['interface', 'answers', 'PARITY-BODIES', 'PARITY-CLASSES'],
    tamper: {
      answer: ({ url }: Seen, { status }: Given) =>
        status === 401 && !url.startsWith('/api/v3') ? { headers: { 'content-type': 'text/plain' }, body } : undefined,
    },
  })),
  {
    name: 'a body of its own in refusals of V4 runs, sessions and workspaces',
    only: ['interface', 'answers', 'PARITY-BODIES', 'PARITY-CLASSES', 'v4-sessions', 'workspaces'],
    tamper: {
      answer: ({ url }: Seen, { status }: Given) =>
        /^\/api\/v4\/(?:runs|sessions|workspaces)/.test(url) && [400, 403, 404, 409, 502].includes(status)
          ? { body: { code: 'refused' } }
          : undefined,
    },
  },
  {
    name: 'members that no document has, in answers',
    only: ['answers', 'interface', 'profiles', 'workspaces', 'account'],
    tamper: changes(
      (_seen, { status }) => status < 300,
      (body) => ({ ...body, fromTomorrow: true }),
    ),
  },
];

/** Returns a time five seconds earlier, cut to whole seconds, in the time zone +02:00. */
function shiftTime(time: unknown): string {
  const [text] = new Date(Date.parse(String(time)) - 5_000 + 2 * 3_600_000).toISOString().split('.');
  return `${text ?? ''}+02:00`;
}

/**
 * `npm test` judges every third legal choice and the first of the other lists, `npm run teeth` all, and
 * `npm run long -- seeds` all variants with many seeds.
 */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

describe('a server is legal beyond the contract', () => {
  it.each(legal.filter((_choice, index) => isWhole || index % 3 === 0))('with $name', async ({ only, tamper }) => {
    const { report, failing, errors } = await judge({ server: 'reference', only, tamper });
    expect([...failing, ...errors]).toEqual([]);
    expect(report.beyond.passed).toBeGreaterThan(1);
    expect(report.left).toEqual([]);
  });
});

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Prefix of the ids of a server whose ids are no uuids. */
const idPrefix = 'id_';

function withoutPrefix(text: string): string {
  return text.replaceAll(new RegExp(`${idPrefix}(?=[0-9a-f]{8}-)`, 'g'), '');
}

/** Adds a prefix to the ids of V2 and V4, so that they are no uuids. The contract shows no format of ids. */
const prefixedIds: Tamper = {
  request: ({ url, body }) =>
    /^\/api\/v[24]\//.test(url)
      ? {
          url: withoutPrefix(url),
          ...(isJsonObject(body) ? { body: JSON.parse(withoutPrefix(JSON.stringify(body))) } : {}),
        }
      : undefined,
  answer: ({ url }, { status, body }) =>
    /^\/api\/v[24]\//.test(url) && status < 300 && isJsonObject(body)
      ? { body: JSON.parse(JSON.stringify(body).replaceAll(uuid, (id) => `${idPrefix}${id}`)) }
      : undefined,
};

/** Shows times of V2 and V4 from a clock that is five seconds behind, in whole seconds. */
const otherClock = changes(
  ({ url }, { status }) => /^\/api\/v[24]\//.test(url) && status < 300,
  (body) =>
    JSON.parse(
      JSON.stringify(body).replaceAll(
        /"((?:created|updated|started|finished)At|ts)":"([^"]+)"/g,
        (_all, name: string, time: string) => `"${name}":"${shiftTime(time)}"`,
      ),
    ),
);

/** Withholds a resource from V2 and V4 lists for two seconds after its creation. */
function lateLists(): Tamper {
  const createdMs = new Map<string, number>();
  return {
    answer: ({ method, url }, { status, body }) => {
      if (!/^\/api\/v[24]\//.test(url) || status >= 300 || !isJsonObject(body)) return undefined;
      if (method === 'POST' && typeof body['id'] === 'string') createdMs.set(body['id'], Date.now());
      const isOld = ({ id }: JsonObject): boolean => Date.now() - (createdMs.get(String(id)) ?? 0) > 2000;
      const lists = Object.entries(body).filter(
        ([name, rows]) => ['items', 'runs'].includes(name) && Array.isArray(rows),
      );
      if (method !== 'GET' || lists.length === 0) return undefined;
      const shown = lists.map(([name, rows]) => [name, reversed(rows).toReversed().filter(isOld)]);
      return { body: { ...body, ...Object.fromEntries(shown) } };
    },
  };
}

const jobAreas = [
  'v2-tasks',
  'v4-runs',
  'events',
  'side-effects',
  'authentication',
  'tenancy',
  'V4-SES-13',
  'V2-SES-12',
];

describe('a server is legal where the contract is silent', () => {
  const others = [
    { name: 'ids of V2 and V4 that are no uuids', tamper: prefixedIds },
    { name: 'times of V2 and V4 in whole seconds, of another clock', tamper: otherClock },
    { name: 'lists of V2 and V4 that show a new item after two seconds', tamper: lateLists },
  ];
  it.each(others.slice(0, isWhole ? others.length : 1))('with $name', async ({ tamper }) => {
    const { report, failing, errors, hasChanged } = await judge({ server: 'reference', only: jobAreas, tamper });
    expect(hasChanged).toBe(true);
    expect([...failing, ...errors]).toEqual([]);
    expect(report.totals.passed).toBeGreaterThan(20);
    expect(report.left).toEqual([]);
  });

  it.each([
    { name: 'times of browsers in whole seconds, of another clock', tamper: otherClock },
    { name: 'lists of browsers that show a new one after two seconds', tamper: lateLists },
    { name: 'ids of browsers that are no uuids', tamper: prefixedIds },
  ])('with $name', async ({ tamper }) => {
    const { report, failing, errors, hasChanged } = await judge({ server: 'scripted', tamper });
    expect(hasChanged).toBe(true);
    expect([...failing, ...errors]).toEqual([]);
    expect(report.totals.passed).toBeGreaterThan(20);
    expect(report.left).toEqual([]);
  });
});

describe('a server that speaks otherwise and keeps the contract is found without fault', () => {
  it.each(legalVariants.filter((_variant, index) => isWhole || index === 0))('$id: $does', async (variant) => {
    const { report, failing, errors } = await judge(variant);
    expect(errors).toEqual([]);
    expect(failing.toSorted()).toEqual((variant.promises ?? []).toSorted());
    expect(report.requirements.filter(({ id }) => failing.includes(id)).map(({ profile }) => profile)).toEqual(
      failing.map(() => 'full'),
    );
    expect(report.left).toEqual([]);
  });
});

it('a V2 task that ends while it is asked to pause or to stop is no breach', async () => {
  const only = ['V2-VIEW-17', 'V2-VIEW-18', 'V2-VIEW-19'];
  const { report, failing, errors } = await judge({ server: 'reference', tamper: endingWhenAsked() }, { only });
  expect([...failing, ...errors]).toEqual([]);
  expect(report.requirements.filter(({ id }) => only.includes(id)).map(({ verdict }) => verdict)).toEqual([
    'notTestable',
    'notTestable',
    'notTestable',
  ]);
});
