import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { type At, at, readBody, isAt, turns, wants } from '../operation-tampers.ts';
import { refuses } from '../tampers.ts';

const base = { server: 'reference', only: ['secrets'] } as const;
const createRun = at('POST', '/api/v4/runs');

/**
 * Adds to the answers of the operation `place` the values that requests of the operation `from` have sent in one
 * member.
 */
function repeats(from: At, member: string, place: At): () => Tamper {
  return () => {
    const values: JsonValue[] = [];
    return {
      answer: (seen, { status, body }) => {
        const value = isAt(from, seen) ? readBody(seen)[member] : undefined;
        if (value !== undefined) values.push(value);
        return isAt(place, seen) && status < 300 && isJsonObject(body)
          ? { body: { ...body, later: values } }
          : undefined;
      },
    };
  };
}

/** Changes each secret binding in the creations of runs. */
function bindings(change: (binding: JsonObject) => JsonObject): Tamper {
  return wants(createRun, ({ secretBindings }) =>
    Array.isArray(secretBindings)
      ? { secretBindings: secretBindings.map((binding) => (isJsonObject(binding) ? change(binding) : binding)) }
      : {},
  );
}

const atMost = (count: number, value: JsonValue | undefined): JsonValue =>
  Array.isArray(value) ? value.slice(0, count) : [];
const carries = (member: string) => (seen: Seen) => member in readBody(seen);

/** Servers that reveal secrets. */
export const secretMutants: readonly Mutant[] = [
  {
    ...base,
    id: 'secret-in-task',
    breaks: 'A V2 task shows its secrets.',
    target: 'SECRET-01',
    tamper: repeats(at('POST', '/api/v2/tasks'), 'secrets', at('GET', '/api/v2/tasks/*')),
  },
  {
    ...base,
    id: 'secret-in-messages',
    breaks: 'The messages of a V3 session contain its sensitive data.',
    target: 'SECRET-01',
    tamper: repeats(at('POST', '/api/v3/sessions'), 'sensitiveData', at('GET', '/api/v3/sessions/*/messages')),
  },
  {
    ...base,
    id: 'secret-in-events',
    breaks: 'The events of a V4 run contain its secrets.',
    target: 'SECRET-01',
    tamper: repeats(createRun, 'secretBindings', at('GET', '/api/v4/runs/*/events')),
  },
  ...(['v2/tasks', 'v3/sessions', 'v4/runs'] as const).map(
    (path): Mutant => ({
      ...base,
      id: `secret-refusal-${path.slice(0, 2)}`,
      breaks: `A refusal of ${path} repeats the submitted value.`,
      target: 'SECRET-02',
      tamper: {
        answer: (seen, { status, body }) =>
          isAt(at('POST', `/api/${path}`), seen) && status === 422 && isJsonObject(body)
            ? { body: { ...body, input: readBody(seen) } }
            : undefined,
      },
    }),
  ),
  {
    ...base,
    id: 'secret-eleven',
    breaks: 'Secrets of a V4 run after the tenth are dropped.',
    target: 'SECRET-03',
    tamper: wants(at('POST', '/api/v4/runs', carries('secretBindings')), ({ secretBindings }) => ({
      secretBindings: atMost(10, secretBindings),
    })),
  },
  {
    ...base,
    id: 'secret-everywhere',
    breaks: 'A secret of a V4 run without domains is accepted.',
    target: 'SECRET-03',
    tamper: bindings((binding) =>
      isJsonObject(binding) && Array.isArray(binding['allowedDomains']) && binding['allowedDomains'].length === 0
        ? { ...binding, allowedDomains: ['example.com'] }
        : binding,
    ),
  },
  {
    ...base,
    id: 'secret-domains-cut',
    breaks: 'Domains of a secret after the tenth are dropped.',
    target: 'SECRET-03',
    tamper: bindings((binding) => ({ ...binding, allowedDomains: atMost(10, binding['allowedDomains']) })),
  },
  {
    ...base,
    id: 'secret-counted-in-letters',
    breaks: 'The length of a secret is counted in characters instead of bytes.',
    target: 'SECRET-03',
    tamper: bindings((binding) =>
      JSON.stringify(binding['source']).includes('\u00e4')
        ? { ...binding, source: { type: 'inline', value: 'short' } }
        : binding,
    ),
  },
  {
    ...base,
    id: 'secret-nine',
    breaks: 'A V4 run accepts at most nine secrets.',
    target: 'SECRET-04',
    tamper: refuses('/api/v4/runs', ({ secretBindings }) => Array.isArray(secretBindings) && secretBindings.length > 9),
  },
  {
    ...base,
    id: 'secret-nine-403',
    breaks: 'A V4 run with ten secrets is refused with 403.',
    target: 'SECRET-04',
    tamper: turns(at('POST', '/api/v4/runs', carries('secretBindings')), 200, { status: 403, body: { detail: 'No' } }),
  },
  {
    ...base,
    id: 'proxy-in-session',
    breaks: 'A V2 session shows the credentials of its proxy.',
    target: 'SECRET-05',
    tamper: repeats(at('POST', '/api/v2/sessions'), 'customProxy', at('GET', '/api/v2/sessions/*')),
  },
  {
    server: 'scripted',
    only: ['SECRET-06'],
    id: 'proxy-in-browser',
    breaks: 'A V4 browser shows the credentials of its proxy.',
    target: 'SECRET-06',
    tamper: repeats(at('POST', '/api/v4/browsers'), 'customProxy', at('GET', '/api/v4/browsers/*')),
  },
];
