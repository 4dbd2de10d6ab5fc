import type { RequirementId } from '#generated/requirements.ts';
import { type Check, type CheckContext, law } from '../../core/check.ts';
import type { JsonObject } from '../../core/json.ts';
import { distinctValues, recordsSeen, show, someRecord } from '../common/session-records.ts';

const required = ['id', 'status', 'model', 'createdAt', 'updatedAt'] as const;

/** Members of the record whose type and form are judged on every record that was seen. */
const members: readonly (readonly [RequirementId, string])[] = [
  ['V3-SESSION-01', 'id'],
  ['V3-SESSION-02', 'status'],
  ['V3-SESSION-03', 'model'],
  ['V3-SESSION-04', 'createdAt'],
  ['V3-SESSION-05', 'updatedAt'],
  ['V3-ENUM-01', 'status'],
  ['V3-SESSION-07', 'thinkingLevel'],
  ['V3-SESSION-08', 'title'],
  ['V3-SESSION-16', 'stepCount'],
  ['V3-SESSION-18', 'lastStepSummary'],
  ['V3-SESSION-23', 'liveUrl'],
  ['V3-SESSION-26', 'recordingUrls'],
  ['V3-SESSION-29', 'profileId'],
  ['V3-SESSION-30', 'workspaceId'],
  ['V3-SESSION-31', 'proxyCountryCode'],
  ['V3-SESSION-32', 'maxCostUsd'],
  ['V3-SESSION-33', 'totalInputTokens'],
  ['V3-SESSION-34', 'totalOutputTokens'],
  ['V3-SESSION-35', 'proxyUsedMb'],
  ['V3-SESSION-36', 'llmCostUsd'],
  ['V3-SESSION-37', 'proxyCostUsd'],
  ['V3-SESSION-38', 'browserCostUsd'],
  ['V3-SESSION-39', 'totalCostUsd'],
  ['V3-SESSION-41', 'screenshotUrl'],
  ['V3-SESSION-44', 'integrationsUsed'],
];

/** Type and form of every member of the V3 session record. */
export const sessionFieldChecks: readonly Check[] = [
  ...members.map(([id, member]) => law(id, (t) => judgeMember(t, member), { needs: someRecord })),
  law(
    'V3-SESSION-06',
    async (t) => {
      for (const { exchange, record } of await recordsSeen(t)) {
        const missing = required.filter((member) => record[member] === undefined);
        const message = `a session record has no ${missing.join(', ')}; expected ${required.join(', ')} in every record`;
        t.expect(missing.length === 0, { exchange, message });
      }
    },
    { needs: someRecord },
  ),
  law('V3-SESSION-45', (t) => judgeDecimals(t, (text) => /^[+-]?\d*(?:\.\d*)?$/.test(text) || /^[-+.]*$/.test(text)), {
    needs: someRecord,
  }),
  law('V3-SESSION-46', (t) => judgeDecimals(t, (text) => !/^[-+.]*$/.test(text)), { needs: someRecord }),
];

async function judgeMember(t: CheckContext, member: string): Promise<void> {
  const records = await recordsSeen(t);
  for (const { exchange, record } of records.filter((seen) => isMissing(seen.record, member)).slice(0, 1)) {
    t.expect(false, {
      exchange,
      message: `a session record has no ${member}; found ${Object.keys(record).join(', ')}`,
    });
  }
  const values = distinctValues(records, member);
  if (values.length === 0) t.notTestable(`no session record carries ${member}`);
  for (const { value, seen } of values) {
    const problems = t.schemas.componentProblems('v3', `Session/properties/${member}`, value);
    t.expect(problems.length === 0, {
      exchange: seen.exchange,
      message: `${member} is ${show(value)}: ${problems.join('; ').replaceAll('the body ', '')}`,
    });
  }
}

function isMissing(record: JsonObject, member: string): boolean {
  return required.some((name) => name === member) && record[member] === undefined;
}

async function judgeDecimals(t: CheckContext, holds: (text: string) => boolean): Promise<void> {
  const records = await recordsSeen(t);
  const names = new Set(
    records.flatMap(({ record }) => Object.keys(record).filter((name) => /Usd$|^proxyUsedMb$/.test(name))),
  );
  for (const name of names) {
    for (const { value, seen } of distinctValues(records, name)) {
      if (typeof value !== 'string') continue;
      t.expect(holds(value), {
        exchange: seen.exchange,
        message: `${name} is ${show(value)}; expected a decimal string`,
      });
    }
  }
  if (names.size === 0) t.notTestable('no session record carries a decimal string');
}
