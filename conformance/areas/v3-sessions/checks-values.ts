import { isDeepStrictEqual } from 'node:util';
import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { type Decimal, decimalMax, formatDecimal, parseDecimal, rescale, sumDecimals } from '../../core/decimal.ts';
import { describeAnswer, type Exchange, succeeded, isCapacity } from '../../core/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue, toText } from '../../core/json.ts';
import { created } from './checks-creation.ts';
import { codeSession, structuredSchema, structuredSession, structuredSessions } from './scenarios-outputs.ts';
import { earlyFollowUp, failingSession, plainSchemas } from './scenarios.ts';
import { emptySession } from './scenarios-empty.ts';
import { interruptedSession, keptSession } from './scenarios-kept.ts';
import { isPageOrJson } from '../../common/judgement.ts';
import { farBeyondCeiling, hasSpentCeiling, beyondCeiling } from '../../common/cost-ceilings.ts';
import { hasEnded, type Observation, oneShotSession, type TaskObservation } from '../../common/observed-session.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { historyLaw } from './checks-history-times.ts';
import { beforeFollowUps, endMs, type SessionHistory, sessionHistories } from './history.ts';
import { lazyModules } from '../../core/lazy-modules.ts';
import { isOwnTask } from '../../common/target-facts.ts';
import {
  carried,
  completeRecords,
  distinctValues,
  recordingIfAny,
  recordsSeen,
  someRecord,
} from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import type { RequirementId } from '#generated/requirements.ts';

/** Checks of values in a V3 session record: title, output, counters, outcome, costs and mailbox. */
export const sessionValueChecks: readonly Check[] = [
  check('V3-SESSION-09', { needs: [oneShotSession] }, async (t) => titled(t, await t.recording(oneShotSession))),
  check('V3-SESSION-10', { needs: [structuredSession] }, async (t) => {
    const { record, exchange } = achieved(t, (await t.recording(structuredSession)).end);
    const output = carried(t, record, 'output');
    t.expect(output !== null, {
      exchange,
      message: 'output is null after a task that achieved its goal with a schema; expected structured data',
    });
  }),
  check('V3-SESSION-11', { needs: [codeSession] }, (t) => codeShaped(t)),
  check('V3-SESSION-12', { needs: [codeSession] }, async (t) => {
    const { record, exchange } = achieved(t, (await t.recording(codeSession)).end);
    const output = carried(t, record, 'output');
    t.expect(isJsonObject(output) && 'output' in output, {
      exchange,
      message: `output is ${show(output)} in code mode; expected an object with output, the result of the program`,
    });
  }),
  check('V3-SESSION-13', { needs: structuredSessions, phase: 'last' }, async (t) => {
    for (const scenario of structuredSessions(t.target)) await recordingIfAny(t, scenario);
    for (const history of sessionHistories(t)) {
      conformingFollowUps(t, history);
      conformingFailures(t, history);
    }
    await conforming(t);
  }),
  historyLaw('V3-SESSION-14', (t, { creation, changes, fetches }) => {
    const shaping = changes.find((exchange) => isFollowUp(exchange) && isShaped(requestObject(exchange)));
    // A session that the run has not created may have any form of output.
    if (creation === undefined || isShaped(creation.body)) return;
    const plain = fetches.filter(({ exchange }) => endMs(exchange) <= (shaping?.atMs ?? Infinity));
    for (const { record, exchange } of plain) {
      const output = record['output'] ?? null;
      const message = `output is ${show(output)}; expected a string or null without code mode and output schema`;
      t.expect(output === null || typeof output === 'string', { exchange, member: '/output', message });
    }
  }),
  check('V3-SESSION-15', { needs: [structuredSession] }, async (t) => {
    const { record, exchange } = (await t.recording(structuredSession)).end;
    const schema = carried(t, record, 'outputSchema');
    t.expect(isDeepStrictEqual(schema, structuredSchema), {
      exchange,
      message: `outputSchema is ${show(schema)}; expected the schema that was requested`,
    });
  }),
  check('V3-SESSION-17', { needs: [oneShotSession, keptSession] }, async (t) => {
    const { first, followUps } = await t.recording(keptSession);
    const tasks = [await t.recording(oneShotSession), first, ...followUps];
    const judged = tasks.map((task) => neverFalls(t, task));
    if (!judged.includes(true)) t.notTestable('stepCount was never a number');
  }),
  check('V3-SESSION-19', { needs: [oneShotSession], phase: 'last' }, async (t) => {
    await successIs(t, oneShotSession, 'succeed');
    if (isOwnTask(t.target, 'code')) for (const history of sessionHistories(t)) succeedsAfterFailure(t, history);
  }),
  check('V3-SESSION-20', { needs: [failingSession] }, (t) => successIs(t, failingSession, 'fail')),
  check('V3-SESSION-21', { needs: [interruptedSession] }, async (t) => {
    const { session } = await t.recording(interruptedSession);
    const running = session.fetches.filter(({ record }) => record['status'] === 'running');
    if (running.length === 0) t.notTestable('the task was never seen running');
    for (const observation of running) successNull(t, observation, 'while the task runs');
  }),
  check('V3-SESSION-22', { needs: [emptySession], phase: 'last' }, async (t) => {
    await t.recording(emptySession);
    for (const history of sessionHistories(t)) {
      if (history.creation === undefined || (history.creation.body['task'] ?? null) !== null) continue;
      for (const observation of beforeFollowUps(history)) successNull(t, observation, 'without any task');
    }
  }),
  law(
    'V3-SESSION-40',
    async (t) => {
      const records = await recordsSeen(t);
      const finest = Math.max(0, ...records.map(({ record }) => toDecimal(record, 'totalCostUsd')?.scale ?? 0));
      const judged = completeRecords(t).filter((observation) => sumHolds(t, observation, finest));
      if (judged.length === 0) t.notTestable('no session record carries all four cost members as decimal strings');
    },
    { needs: someRecord },
  ),
  check('V3-SESSION-43', { needs: [failingSession], phase: 'last' }, async (t) => {
    for (const { fetches } of sessionHistories(t)) for (const observation of fetches) isMailbox(t, observation);
    if (t.target.v3?.members.inbox === null)
      t.notTestable('the target file names no mailbox option (v3.members.inbox)');
    for (const { record, exchange } of (await t.recording(failingSession)).fetches) {
      const message = `inboxEmail is ${show(record['inboxEmail'])} in a session created without a mailbox; expected none`;
      t.expect(record['inboxEmail'] === undefined || record['inboxEmail'] === null, { exchange, message });
    }
  }),
  check('LIFE-12', { needs: [keptSession, earlyFollowUp] }, async (t) => {
    const { first, followUps } = await t.recording(keptSession);
    await titled(t, first);
    const later = (await recordingIfAny(t, earlyFollowUp))?.idle?.titled;
    if (later !== undefined && succeeded(later.dispatched) && hasEnded(later)) await titled(t, later);
    // The title of a follow-up may be its own or that of the session.
    for (const task of followUps.filter((sent) => succeeded(sent.dispatched) && hasEnded(sent))) await titled(t, task);
  }),
  check('V3-SESSION-48', { needs: [interruptedSession] }, async (t) => {
    const { record, exchange } = (await t.recording(interruptedSession)).session.end;
    if (record['status'] !== 'running') t.notTestable('the slow task had ended before it was stopped');
    const title = carried(t, record, 'title');
    const message = `title is null ${t.target.polling.settleDeadlineMs} ms after the session was seen running; expected a title`;
    t.expect(title !== null, { exchange, member: '/title', message });
  }),
  check('V3-CREATE-09', { needs: [codeSession] }, async (t) => {
    await created(t, codeSession, 'codeMode true, a mailbox and no proxy');
    await codeShaped(t);
  }),
  check('V3-CREATE-10', { needs: [structuredSession] }, (t) => conforming(t)),
];

/** Returns true if a request asks for code or for structured output: the output is then not free text. */
function isShaped(body: JsonObject): boolean {
  return body['codeMode'] === true || isJsonObject(body['outputSchema']);
}

/**
 * Returns the observation of the end of a task that achieved its goal; ends the check as not testable for any other
 * task.
 */
function achieved(t: CheckContext, end: Observation): Observation {
  if (end.record['isTaskSuccessful'] !== true) {
    t.notTestable(`the task did not achieve its goal (isTaskSuccessful ${show(end.record['isTaskSuccessful'])})`);
  }
  return end;
}

function isProgram(output: JsonValue): output is JsonObject {
  return isJsonObject(output) && typeof output['text'] === 'string' && typeof output['code'] === 'string';
}

async function codeShaped(t: CheckContext): Promise<void> {
  const { id } = await t.recording(codeSession);
  const { fetches } = sessionHistories(t).find((history) => history.id === id) ?? { fetches: [] };
  // The text of a task that did not achieve its goal may say why, without a program.
  const failed = fetches.filter(({ record }) => record['isTaskSuccessful'] === false);
  const reasons = new Set<unknown>(
    failed.map(({ record }) => record['output']).filter((one) => typeof one === 'string'),
  );
  for (const seen of fetches) {
    const given = seen.record['output'] ?? null;
    const message = `output is ${show(given)} in a session whose tasks are all in code mode; expected null or an object with text and code`;
    t.expect(given === null || reasons.has(given) || isProgram(given), {
      exchange: seen.exchange,
      member: '/output',
      message,
    });
  }
  const { record, exchange } = achieved(t, (await t.recording(codeSession)).end);
  const output = carried(t, record, 'output');
  t.expect(isProgram(output) && output['code'] !== '', {
    exchange,
    message: `output is ${show(output)}; expected an object with text and code`,
  });
}

/** Judges the output of each follow-up that asked for structured output and achieved its goal. */
function conformingFollowUps(t: CheckContext, { changes, fetches }: SessionHistory): void {
  const followUps = changes.filter((change) => isFollowUp(change) && succeeded(change));
  for (const [index, followUp] of followUps.entries()) {
    const sent = requestObject(followUp)['outputSchema'];
    const schema = [structuredSchema, ...plainSchemas].find((one) => isDeepStrictEqual(one, sent));
    if (schema === undefined) continue;
    const nextMs = followUps[index + 1]?.atMs ?? Infinity;
    const ended = fetches.find(
      ({ record, exchange }) =>
        exchange.atMs >= endMs(followUp) &&
        endMs(exchange) <= nextMs &&
        record['status'] !== 'running' &&
        record['isTaskSuccessful'] === true,
    );
    if (ended === undefined) continue;
    const { record, exchange } = ended;
    // A separate operation for follow-ups may not read a schema. The record then shows which schema applies.
    if (t.target.v3?.followUp?.path !== '/sessions' && !isDeepStrictEqual(record['outputSchema'], schema)) continue;
    const problems = schemaProblems(schema, record['output'] ?? null);
    const message = `output is ${show(record['output'])} after a follow-up with a schema, which it misses: ${problems}; expected data that conforms`;
    t.expect(problems === '', { exchange, member: '/output', message });
  }
}

/** Judges the output of a task that was sent with a schema and has failed: no output, or data that conforms. */
function conformingFailures(t: CheckContext, history: SessionHistory): void {
  if (!isDeepStrictEqual(history.creation?.body['outputSchema'], structuredSchema)) return;
  for (const { record, exchange } of beforeFollowUps(history)) {
    const output = record['output'] ?? null;
    if (output === null || record['isTaskSuccessful'] !== false) continue;
    const problems = schemaProblems(structuredSchema, output);
    const message = `output is ${show(output)} after a task that failed, which misses the schema that was sent: ${problems}; expected null or data that conforms`;
    t.expect(problems === '', { exchange, member: '/output', message });
  }
}

/**
 * Judges that a session is not shown as failed if its last accepted follow-up has the code task of the target file,
 * which any agent can achieve. A session that has spent its cost ceiling is not judged.
 */
function succeedsAfterFailure(t: CheckContext, { changes, fetches }: SessionHistory): void {
  const last = changes.findLast((change) => isFollowUp(change) && succeeded(change));
  const end = fetches.at(-1);
  if (last === undefined || end === undefined || requestObject(last)['task'] !== t.target.tasks.code) return;
  const { record, exchange } = end;
  const hasRun = fetches.some((seen) => seen.exchange.atMs >= last.atMs && seen.record['status'] === 'running');
  if (!hasRun || !['idle', 'stopped'].includes(toText(record['status']))) return;
  const isFalse = record['isTaskSuccessful'] === false && !hasSpentCeiling(record);
  const message = 'isTaskSuccessful is false after a task that any agent can achieve; expected true';
  t.expect(!isFalse, { exchange, member: '/isTaskSuccessful', message });
}

async function conforming(t: CheckContext): Promise<void> {
  const { record, exchange } = achieved(t, (await t.recording(structuredSession)).end);
  const output = carried(t, record, 'output');
  const problems = schemaProblems(structuredSchema, output);
  const message = `output is ${show(output)}, which misses the schema that was sent: ${problems}; expected data that conforms`;
  t.expect(problems === '', { exchange, member: '/output', message });
}

/** Returns the violations of a schema in an output, as text; empty if the output conforms. */
function schemaProblems(schema: JsonObject, output: JsonValue): string {
  const { Ajv2020 } = lazyModules.schemas();
  const ajv = new Ajv2020({ allErrors: true });
  return ajv.validate(schema, output) ? '' : ajv.errorsText(ajv.errors, { dataVar: 'output' });
}

/** Judges that a session has a title after its task. A title may come after a short task, until the settle deadline. */
async function titled(t: CheckContext, task: TaskObservation): Promise<void> {
  if (!hasEnded(task)) t.notTestable('the task had not ended');
  let { record, exchange } = task.end;
  const deadline = exchange.atMs + t.target.polling.settleDeadlineMs;
  while (carried(t, record, 'title') === null && !t.target.stateless) {
    const later = await t.sessions.get(toText(record['id']));
    if (isJsonObject(later.json) && succeeded(later)) ({ record, exchange } = { record: later.json, exchange: later });
    if (t.nowMs() >= deadline) break;
    await t.pause(t.target.polling.intervalMs);
  }
  const title = carried(t, record, 'title');
  const message = `title is ${show(title)} after the task has run; expected a title`;
  t.expect(typeof title === 'string' && title !== '', { exchange, message });
}

// Judges that `stepCount` never falls. Returns true if at least one number was judged.
function neverFalls(t: CheckContext, { fetches }: TaskObservation): boolean {
  let highest = -1;
  for (const { record, exchange } of fetches) {
    const count = carried(t, record, 'stepCount');
    if (typeof count !== 'number') continue;
    t.expect(count >= highest, {
      exchange,
      message: `stepCount fell from ${highest} to ${count}; expected that it never falls`,
    });
    highest = Math.max(highest, count);
  }
  return highest >= 0;
}

async function successIs(
  t: CheckContext,
  scenario: typeof failingSession | typeof oneShotSession,
  goal: 'succeed' | 'fail',
): Promise<void> {
  const { end } = await t.recording<TaskObservation>(scenario);
  if (!['idle', 'stopped'].includes(toText(end.record['status']))) {
    t.notTestable(`the session was ${show(end.record['status'])} at the end of its task`);
  }
  const value = carried(t, end.record, 'isTaskSuccessful');
  const want = goal === 'succeed';
  // On a public page an agent may fail, or may report an impossible task as achieved.
  if (value === !want && !isOwnTask(t.target, goal))
    t.notTestable(`isTaskSuccessful is ${value}, and the target file gives no test task of its own (tasks.${goal})`);
  const message = `isTaskSuccessful is ${show(value)} after a task that ${want ? 'any' : 'no'} agent can achieve; expected ${want}`;
  t.expect(value === want, { exchange: end.exchange, message });
}

function successNull(t: CheckContext, { record, exchange }: Observation, when: string): void {
  const value = carried(t, record, 'isTaskSuccessful');
  t.expect(value === null, { exchange, message: `isTaskSuccessful is ${show(value)} ${when}; expected null` });
}

const parts = ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd'] as const;

// Judges that the total cost is the sum of its parts. Returns false for a record that lacks one of these amounts.
// `finest` is the largest number of fractional digits of any total.
function sumHolds(t: CheckContext, { record, exchange }: Observation, finest: number): boolean {
  const amounts = parts.map((member) => toDecimal(record, member)).filter((amount) => amount !== undefined);
  const total = toDecimal(record, 'totalCostUsd');
  if (total === undefined || amounts.length < parts.length) return false;
  const sum = sumDecimals(amounts);
  const scale = Math.max(finest, sum.scale);
  const difference = rescale(total, scale) - rescale(sum, scale);
  t.expect((difference < 0n ? -difference : difference) <= tolerance(sum, finest, scale), {
    exchange,
    message: () => `totalCostUsd is ${formatDecimal(total)}; expected the sum of its parts, ${formatDecimal(sum)}`,
  });
  return true;
}

// Returns the tolerance of a sum. Each amount may be rounded by one unit of its last digit. The finest digit of all
// amounts counts, because trailing zeros may be omitted.
function tolerance(sum: Decimal, finest: number, scale: number): bigint {
  const toUnit = (digits: number): bigint => rescale({ value: 1n, scale: digits }, scale);
  return BigInt(parts.length) * toUnit(sum.scale) + toUnit(finest);
}

function toDecimal(record: JsonObject, member: string): Decimal | undefined {
  const value = record[member];
  return typeof value === 'string' ? parseDecimal(value) : undefined;
}

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
  const values = distinctValues(completeRecords(t), member);
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

function isMailbox(t: CheckContext, { record, exchange }: Observation): void {
  const { inboxEmail: box = null } = record;
  const message = `inboxEmail is ${show(box)}; expected a string or null`;
  t.expect(box === null || typeof box === 'string', { exchange, member: '/inboxEmail', message });
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
        const amount = toDecimal(record, member);
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
    const used = ['proxyUsedMb', 'proxyCostUsd'].find((member) => (toDecimal(record, member)?.value ?? 0n) > 0n);
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
