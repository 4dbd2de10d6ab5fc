import type { JsonObject } from '#lib/json.ts';
import type { Mutant } from '../mutant.ts';
import { fetched, records } from '../tampers.ts';

const reference = { server: 'reference' } as const;

const costs = ['llmCostUsd', 'browserCostUsd', 'proxyCostUsd', 'totalCostUsd'];

/** Returns a record in which every amount is zero. */
function unbooked(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, costs.includes(name) ? '0' : value] as const),
  );
}

/** Servers that are wrong in a member that few sessions show, or that only several sessions together show. */
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
    only: ['V3-HISTORY-24', 'LIFE-14', 'LIFE-16', 'V3-SESSION-11', 'V3-SESSION-13'],
    target: 'V3-HISTORY-24',
    tamper: records((record) => ({ ...record, totalInputTokens: 0, totalOutputTokens: 0 })),
  },
];
