import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { both, readBody } from '../operation-tampers.ts';
import { fetched, records } from '../tampers.ts';

const reference = { server: 'reference' } as const;

const costs = ['llmCostUsd', 'browserCostUsd', 'proxyCostUsd', 'totalCostUsd'];

/** Returns a record with all costs set to zero. */
function unbooked(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, costs.includes(name) ? '0' : value] as const),
  );
}

/**
 * Changes the cost ceiling of tasks whose text contains `exceed-ceiling`, but shows the requested ceiling in the
 * records of their sessions.
 */
function secretCeilings(change: (ceiling: JsonObject[string]) => string): () => Tamper {
  return () => {
    const ceilings = new Map<unknown, JsonObject[string]>();
    return both(
      {
        request: ({ method, url, body }) => {
          if (method !== 'POST' || url !== '/api/v3/sessions' || !isJsonObject(body)) return undefined;
          return String(body['task']).includes('exceed-ceiling')
            ? { body: { ...body, maxCostUsd: change(body['maxCostUsd'] ?? null) } }
            : undefined;
        },
        answer: (seen, { body }) => {
          const { maxCostUsd } = readBody(seen);
          if (maxCostUsd === undefined || !isJsonObject(body)) return undefined;
          ceilings.set(body['id'], maxCostUsd);
          return { body: { ...body, maxCostUsd } };
        },
      },
      fetched((record) => ({ ...record, maxCostUsd: ceilings.get(record['id']) ?? record['maxCostUsd'] ?? null })),
    );
  };
}

/**
 * Multiplies shown model costs of at least 5 US dollars by 0.0016. Several steps then fit into the cost ceiling of the
 * session.
 */
const cheaperSteps = fetched((record) => {
  if (Number(record['llmCostUsd']) < 5) return record;
  const [llmCostUsd, rest] = [
    Number(record['llmCostUsd']) * 0.0016,
    minus(record['totalCostUsd'], record['llmCostUsd']),
  ];
  return { ...record, llmCostUsd: llmCostUsd.toFixed(6), totalCostUsd: (llmCostUsd + rest).toFixed(6) };
});

function minus(left: JsonObject[string] | undefined, right: JsonObject[string] | undefined): number {
  return Number(left) - Number(right);
}

/**
 * Servers with an error in a member that few sessions show, or that appears only when several sessions are compared.
 */
export const sessionMemberMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'session-disabled-as-minimal',
    breaks: 'A session on a gemini model shows the level disabled as the level of its provider, minimal.',
    only: ['V3-HISTORY-06', 'V3-SESSION-07', 'V3-THINK-ACCEPTS'],
    target: 'V3-HISTORY-06',
    mayAlso: ['V3-SESSION-07'],
    tamper: records((record) =>
      /^(gemini-3(\.5)?-flash|svc-mini)$/.test(String(record['model'])) && record['thinkingLevel'] === 'disabled'
        ? { ...record, thinkingLevel: 'minimal' }
        : record,
    ),
  },
  {
    ...reference,
    id: 'session-costs-after-stop',
    breaks: 'The costs of a session are 0 until it is stopped.',
    only: ['LIFE-15'],
    target: 'LIFE-15',
    tamper: fetched((record) => (record['status'] === 'stopped' ? record : unbooked(record))),
  },
  {
    ...reference,
    id: 'session-tokens-never-counted',
    breaks: 'The tokens of every session stay 0, although its model has a cost.',
    only: ['V3-HISTORY-24', 'LIFE-14', 'LIFE-16', 'V3-FOLLOW-03', 'V3-SESSION-11', 'V3-SESSION-13'],
    target: 'V3-HISTORY-24',
    tamper: records((record) => ({ ...record, totalInputTokens: 0, totalOutputTokens: 0 })),
  },
  {
    id: 'history-ceiling-without-effect',
    breaks: 'A session shows its cost limit and continues beyond it.',
    server: 'reference',
    only: ['V3-SESSION-32', 'V3-CREATE-16'],
    target: 'V3-SESSION-32',
    tamper: secretCeilings(() => '1000'),
  },
  {
    id: 'history-ceiling-nearly-doubled',
    breaks: 'A session shows its cost limit and continues until it has cost 1.9 times as much.',
    server: 'reference',
    only: ['V3-SESSION-32', 'V3-CREATE-16'],
    target: 'V3-SESSION-32',
    tamper: () => both(secretCeilings(() => '60')(), cheaperSteps),
  },
];
