import { isDeepStrictEqual } from 'node:util';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { type Decimal, formatDecimal, parseDecimal, rescale, sumDecimals } from '../../core/decimal.ts';
import { succeeded } from '../../core/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue, toText } from '../../core/json.ts';
import { created } from './checks-creation.ts';
import { codeSession, structuredSchema, structuredSession, structuredSessions } from './scenarios-outputs.ts';
import { earlyFollowUp, failingSession, plainSchemas } from './scenarios.ts';
import { emptySession } from './scenarios-empty.ts';
import { interruptedSession, keptSession } from './scenarios-kept.ts';
import { hasSpentCeiling } from '../../common/cost-ceilings.ts';
import { hasEnded, type Observation, oneShotSession, type TaskObservation } from '../../common/observed-session.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { historyLaw } from './checks-history-times.ts';
import { beforeFollowUps, endMs, type SessionHistory, sessionHistories, acceptedFollowUps } from './history.ts';
import { lazyModules } from '../../core/lazy-modules.ts';
import { isOwnTask } from '../../common/target-facts.ts';
import { carried, completeRecords, recordingIfAny, recordsSeen, someRecord } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';

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
  check('V3-SESSION-11', { needs: [codeSession], phase: 'last' }, async (t) => {
    await recordingIfAny(t, codeSession);
    for (const history of sessionHistories(t)) codeShapedTask(t, history);
    await codeShaped(t);
  }),
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
      const finest = Math.max(0, ...records.map(({ record }) => readAmount(record, 'totalCostUsd')?.scale ?? 0));
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

/**
 * Judges the output of the task with which a session was created in code mode, once the task has achieved its goal. A
 * session that has spent its cost ceiling is not judged.
 */
function codeShapedTask(t: CheckContext, history: SessionHistory): void {
  const { task, codeMode, outputSchema = null } = history.creation?.body ?? {};
  if (typeof task !== 'string' || codeMode !== true || outputSchema !== null) return;
  for (const { record, exchange } of beforeFollowUps(history)) {
    if (record['isTaskSuccessful'] !== true || record['status'] === 'running' || hasSpentCeiling(record)) continue;
    const output = record['output'] ?? null;
    const message = `output is ${show(output)} after a task that achieved its goal in a session that was created in code mode; expected an object with text and code`;
    t.expect(isProgram(output), { exchange, member: '/output', message });
  }
}

/** Judges the output of each follow-up that asked for structured output and achieved its goal. */
function conformingFollowUps(t: CheckContext, history: SessionHistory): void {
  const followUps = acceptedFollowUps(history);
  for (const [index, followUp] of followUps.entries()) {
    const sent = requestObject(followUp)['outputSchema'];
    const schema = [structuredSchema, ...plainSchemas].find((one) => isDeepStrictEqual(one, sent));
    if (schema === undefined) continue;
    const nextMs = followUps[index + 1]?.atMs ?? Infinity;
    const ended = history.fetches.find(
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
  const last = acceptedFollowUps({ changes }).at(-1);
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
  // A first validator takes some 50 ms: it compiles the schema of schemas too.
  ajv ??= new (lazyModules.schemas().Ajv2020)({ allErrors: true });
  return ajv.validate(schema, output) ? '' : ajv.errorsText(ajv.errors, { dataVar: 'output' });
}

let ajv: Ajv2020 | undefined;

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

/** Judges that `stepCount` never falls. Returns true if at least one number was judged. */
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

/**
 * Judges that the total cost is the sum of its parts. Returns false for a record that lacks one of these amounts.
 * `finest` is the largest number of fractional digits of any total.
 */
function sumHolds(t: CheckContext, { record, exchange }: Observation, finest: number): boolean {
  const amounts = parts.map((member) => readAmount(record, member)).filter((amount) => amount !== undefined);
  const total = readAmount(record, 'totalCostUsd');
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

/**
 * Returns the tolerance of a sum. Each amount may be rounded by one unit of its last digit. The finest digit of all
 * amounts counts, because trailing zeros may be omitted.
 */
function tolerance(sum: Decimal, finest: number, scale: number): bigint {
  const toUnit = (digits: number): bigint => rescale({ value: 1n, scale: digits }, scale);
  return BigInt(parts.length) * toUnit(sum.scale) + toUnit(finest);
}

/** Returns the amount in a member of a record; undefined without a decimal string. */
export function readAmount(record: JsonObject, member: string): Decimal | undefined {
  const value = record[member];
  return typeof value === 'string' ? parseDecimal(value) : undefined;
}

function isMailbox(t: CheckContext, { record, exchange }: Observation): void {
  const { inboxEmail: box = null } = record;
  const message = `inboxEmail is ${show(box)}; expected a string or null`;
  t.expect(box === null || typeof box === 'string', { exchange, member: '/inboxEmail', message });
}
