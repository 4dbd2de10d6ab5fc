import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { decimalMax } from '../../core/decimal.ts';
import { describeAnswer, type Exchange, succeeded, isCapacity } from '../../core/exchange.ts';
import { type JsonObject, toText } from '../../core/json.ts';
import { emptySession } from './scenarios-empty.ts';
import { isPageOrJson } from '../../common/judgement.ts';
import { farBeyondCeiling, beyondCeiling } from '../../common/cost-ceilings.ts';
import { type Observation, oneShotSession } from '../../common/observed-session.ts';
import { requestObject } from '../../core/request-json.ts';
import { readAmount } from './checks-values.ts';
import { beforeFollowUps, type SessionHistory, sessionHistories } from './history.ts';
import {
  completeRecords,
  distinctValues,
  recordingIfAny,
  recordsSeen,
  someRecord,
} from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import type { RequirementId } from '#generated/requirements.ts';

const required = ['id', 'status', 'model', 'createdAt', 'updatedAt'] as const;

/** Record members whose type and form are judged in every record. */
const members: readonly (readonly [RequirementId, string])[] = [
  ['V3-SESSION-01', 'id'],
  ['V3-SESSION-02', 'status'],
  ['V3-SESSION-03', 'model'],
  ['V3-ENUM-01', 'status'],
  ['V3-SESSION-07', 'thinkingLevel'],
  ['V3-SESSION-08', 'title'],
  ['V3-SESSION-16', 'stepCount'],
  ['V3-SESSION-18', 'lastStepSummary'],
  ['V3-SESSION-23', 'liveUrl'],
  ['V3-SESSION-26', 'recordingUrls'],
  ['V3-SESSION-29', 'profileId'],
  ['V3-SESSION-30', 'workspaceId'],
  ['V3-SESSION-33', 'totalInputTokens'],
  ['V3-SESSION-34', 'totalOutputTokens'],
  ['V3-SESSION-35', 'proxyUsedMb'],
  ['V3-SESSION-36', 'llmCostUsd'],
  ['V3-SESSION-37', 'proxyCostUsd'],
  ['V3-SESSION-38', 'browserCostUsd'],
  ['V3-SESSION-39', 'totalCostUsd'],
  ['V3-SESSION-44', 'integrationsUsed'],
];

/** Members of the record that are date-times. */
const times: readonly (readonly [RequirementId, string])[] = [
  ['V3-SESSION-04', 'createdAt'],
  ['V3-SESSION-05', 'updatedAt'],
];

/**
 * Checks of members of the V3 session record: their types and forms, the required members, the effect of the cost
 * ceiling, and the screenshot URL.
 */
export const sessionFieldChecks: readonly Check[] = [
  ...members.map(([id, member]) => law(id, (t) => judgeMember(t, member), { needs: someRecord })),
  ...times.map(([id, member]) =>
    law(
      id,
      async (t) => {
        await judgeMember(t, member);
        for (const observation of await recordsSeen(t)) separatesTime(t, observation, member);
      },
      { needs: someRecord },
    ),
  ),
  law(
    'V3-SESSION-31',
    async (t) => {
      await judgeMember(t, 'proxyCountryCode');
      usesNoProxy(t);
      for (const history of t.target.stateless ? [] : sessionHistories(t)) showsUsedProxy(t, history);
    },
    { needs: someRecord },
  ),
  law(
    'V3-SESSION-32',
    async (t) => {
      await judgeMember(t, 'maxCostUsd');
      endsAtCeiling(t);
    },
    { needs: someRecord },
  ),
  check(
    'V3-SESSION-41',
    {
      needs: (target) => (target.stateless ? someRecord(target) : [oneShotSession, emptySession]),
      phase: 'last',
      early: (t) => judgeMember(t, 'screenshotUrl'),
    },
    async (t) => {
      await judgeMember(t, 'screenshotUrl');
      if (t.target.stateless) return;
      for (const { fetches } of sessionHistories(t))
        for (const observation of fetches) screenshotIsAbsolute(t, observation);
      screenshotOpens(t, (await recordingIfAny(t, emptySession))?.screenshot, 'that waits for its first task');
      screenshotOpens(t, (await recordingIfAny(t, oneShotSession))?.screenshot, 'whose task has ended');
    },
  ),
  law(
    'V3-SESSION-06',
    async (t) => {
      await recordsSeen(t);
      for (const { exchange, record } of completeRecords(t)) {
        const missing = required.filter((member) => record[member] === undefined);
        const message = `a session record in the answer to ${exchange.operation} has no ${missing.join(', ')}; expected ${required.join(', ')} in every record`;
        t.expect(missing.length === 0, { exchange, message });
      }
    },
    { needs: someRecord },
  ),
  law('V3-SESSION-45', (t) => judgeDecimals(t, isNumeric), { needs: someRecord }),
  law('V3-SESSION-46', (t) => judgeDecimals(t, (text) => !/^[-+.]*$/.test(text)), { needs: someRecord }),
];

async function judgeMember(t: CheckContext, member: string): Promise<void> {
  const records = await recordsSeen(t);
  for (const { exchange, record } of records.filter((seen) => isMissing(seen.record, member)).slice(0, 1)) {
    t.expect(false, {
      exchange,
      message: `a session record has no ${member}; found ${Object.keys(record).join(', ')}; expected it in every record`,
    });
  }
  // Of several answers with the same value, a finding shows a fetch.
  const values = distinctValues([...completeRecords(t), ...records], member);
  if (values.length === 0) t.notTestable(`no session record carries ${member}`);
  for (const { value, seen } of values) {
    const problems = t.schemas.componentProblems('v3', `Session/properties/${member}`, value);
    t.expect(problems.length === 0, {
      exchange: seen.exchange,
      message: `${member} is ${show(value)}: ${problems.join('; ').replaceAll('the body ', '')}`,
    });
  }
}

/**
 * Judges that a date-time has the letter T between its date and its time, as the rule "date-time" of RFC 3339 states.
 * The format validator also accepts a space.
 */
function separatesTime(t: CheckContext, { record, exchange }: Observation, member: string): void {
  const value = record[member];
  const message = `${member} is ${show(value)}; expected a date-time with the letter T between the date and the time`;
  t.expect(typeof value !== 'string' || !/^[\d-]+\s/.test(value), { exchange, member: `/${member}`, message });
}

function screenshotIsAbsolute(t: CheckContext, { record, exchange }: Observation): void {
  const { screenshotUrl: url } = record;
  const message = `screenshotUrl is ${show(url)}; expected an absolute URL, which a client can open`;
  t.expect(typeof url !== 'string' || URL.canParse(url), { exchange, member: '/screenshotUrl', message });
}

function screenshotOpens(t: CheckContext, exchange: Exchange | undefined, which: string): void {
  if (exchange === undefined) return;
  const { settleDeadlineMs } = t.target.polling;
  const message = `the screenshotUrl of a session ${which} ${describeAnswer(exchange)} for ${settleDeadlineMs} ms; expected the address of a screenshot`;
  t.expect(succeeded(exchange) || isCapacity(exchange.status), { exchange, member: '/screenshotUrl', message });
  const type = `the screenshot of a session ${which} is of the type ${exchange.headers['content-type'] ?? ''}; expected a picture`;
  t.expect(!succeeded(exchange) || !isPageOrJson(exchange), { exchange, member: '/screenshotUrl', message: type });
}

function endsAtCeiling(t: CheckContext): void {
  for (const history of t.target.stateless ? [] : sessionHistories(t)) {
    const beyond = farBeyondCeiling(history.fetches) ?? beyondCeiling(beforeFollowUps(history));
    const { maxCostUsd, totalCostUsd } = beyond?.record ?? {};
    const message = `a session with maxCostUsd ${show(maxCostUsd)} goes on beyond it, to totalCostUsd ${show(totalCostUsd)}; expected that its ceiling ends the task`;
    t.expect(beyond === undefined, { exchange: beyond?.exchange, member: '/totalCostUsd', message });
  }
}

/**
 * Judges that a session that was created with `proxyCountryCode` null, and shows null, has no proxy traffic and no
 * proxy cost.
 */
function usesNoProxy(t: CheckContext): void {
  for (const { creation, fetches, changes } of t.target.stateless ? [] : sessionHistories(t)) {
    const isProxyNamed = changes.some((exchange) => 'proxyCountryCode' in requestObject(exchange));
    if (creation?.body['proxyCountryCode'] !== null || isProxyNamed) continue;
    for (const { record, exchange } of fetches) {
      if (record['proxyCountryCode'] !== null) continue;
      for (const member of ['proxyUsedMb', 'proxyCostUsd']) {
        const amount = readAmount(record, member);
        const message = `${member} of a session without a proxy (proxyCountryCode null) is ${show(record[member])}; expected 0`;
        t.expect(amount === undefined || amount.value === 0n, { exchange, member: `/${member}`, message });
      }
    }
  }
}

const live: readonly string[] = ['idle', 'running'];

/**
 * Judges a session whose creation named a country. If the session shows proxy traffic or a proxy cost while it lives,
 * it must show a country at least once, because null means "no proxy". A session that has ended may show null.
 */
function showsUsedProxy(t: CheckContext, { creation, fetches }: SessionHistory): void {
  const name = t.target.v3?.members.proxyCountryCode ?? '';
  if (typeof creation?.body[name] !== 'string') return;
  if (fetches.some(({ record }) => record['proxyCountryCode'] !== null)) return;
  for (const { record, exchange } of fetches.filter((seen) => live.includes(toText(seen.record['status'])))) {
    const used = ['proxyUsedMb', 'proxyCostUsd'].find((member) => (readAmount(record, member)?.value ?? 0n) > 0n);
    const message = `proxyCountryCode is null in every fetch of a session, and its ${used} is ${show(record[used ?? ''])}; expected the country of the proxy in use`;
    t.expect(used === undefined, { exchange, member: '/proxyCountryCode', message });
  }
}

function isMissing(record: JsonObject, member: string): boolean {
  return required.some((name) => name === member) && record[member] === undefined;
}

/**
 * Returns true for a text with the numeric pattern, of at most `decimalMax` characters. Also returns true for a text of
 * signs and dots only, which V3-SESSION-46 judges.
 */
function isNumeric(text: string): boolean {
  // A longer amount could be neither compared nor added.
  if (text.length > decimalMax) return false;
  return /^[+-]?\d*(?:\.\d*)?$/.test(text) || /^[-+.]*$/.test(text);
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
