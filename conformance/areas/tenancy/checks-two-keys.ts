import type { RequirementId } from '#generated/requirements.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused, succeeded } from '../../core/exchange.ts';
import { placeName } from '../../core/id-places.ts';
import { isJsonObject, type JsonObject, type JsonValue, memberAt, toText, isSame } from '../../core/json.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import { listItems } from '../../common/followed-pages.ts';
import { saysNothing } from '../../common/refusals.ts';
import { type ForeignAttempt, type ForeignList, isCounted } from './foreign-requests.ts';
import { tenancyBrowser, tenancyRun, tenancySession, tenancyTask } from './scenarios.ts';
import { twoKeysStorage } from './scenarios-storage.ts';
import type { TwoKeys } from './scenarios-two-keys.ts';
import { jobTarget, jobPhase } from '../../core/job-target.ts';
import { findOperation } from '../../core/operations.ts';
import type { Generation } from '../../core/target.ts';
import { show } from '../../core/text.ts';
import { sameProject } from './checks.ts';

/** Patterns of values that only the owner can know: UUIDs, URLs, and texts that the suite has sent. */
const telling = [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i, /^(https?|wss?):\/\/\S{24,}/, /svc-check/];

/** Resources of the first project, the attempts on them, and the requirements that judge the attempts. */
interface Kind {
  scenario: AnyScenario;
  tried: (t: CheckContext) => Promise<TwoKeys>;
  rows: {
    path: RequirementId;
    /** Requirement for ids in bodies and queries, and for cursors. */
    named?: RequirementId;
    lists: RequirementId;
    /** Requirement that the owner finds its resources unchanged after the attempts of the other project. */
    owner: RequirementId;
    /** Requirement that a refusal does not reveal the existence of an id. */
    status: RequirementId;
  };
}

const storage: Kind = {
  scenario: twoKeysStorage,
  tried: (t) => t.recording(twoKeysStorage),
  rows: { path: 'KEYS-01', named: 'KEYS-02', lists: 'KEYS-03', owner: 'KEYS-04', status: 'KEYS-05' },
};

const browser: Kind = {
  scenario: tenancyBrowser,
  tried: async (t) => (await t.recording(tenancyBrowser)).all,
  rows: { path: 'KEYS-11', lists: 'KEYS-13', owner: 'KEYS-14', status: 'KEYS-15' },
};

const task: Kind = {
  scenario: tenancyTask,
  tried: async (t) => (await t.recording(tenancyTask)).all,
  rows: { path: 'KEYS-21', named: 'KEYS-22', lists: 'KEYS-23', owner: 'KEYS-24', status: 'KEYS-25' },
};

const session: Kind = {
  scenario: tenancySession,
  tried: async (t) => (await t.recording(tenancySession)).all,
  rows: { path: 'KEYS-31', named: 'KEYS-32', lists: 'KEYS-33', owner: 'KEYS-34', status: 'KEYS-35' },
};

const run: Kind = {
  scenario: tenancyRun,
  tried: async (t) => (await t.recording(tenancyRun)).all,
  rows: { path: 'KEYS-41', named: 'KEYS-42', lists: 'KEYS-43', owner: 'KEYS-44', status: 'KEYS-45' },
};

/** Checks that the key of another project has no access to a resource, by any operation that names a resource. */
export const twoKeysChecks: readonly Check[] = [storage, browser, task, session, run].flatMap(createChecks);

function createChecks(kind: Kind): Check[] {
  const { scenario, rows, tried } = kind;
  const judge = (id: RequirementId, judged: (t: CheckContext, all: TwoKeys) => void): Check =>
    check(id, { needs: [scenario] }, async (t) => {
      t.operations.need();
      judged(t, await tried(t));
    });
  const inPath = ({ place }: ForeignAttempt): boolean => place.where === 'path';
  return [
    judge(rows.path, (t, all) => closed(t, all, inPath)),
    ...(rows.named === undefined ? [] : [judge(rows.named, (t, all) => closed(t, all, (item) => !inPath(item)))]),
    judge(rows.lists, (t, all) => unlisted(t, all)),
    judge(rows.owner, (t, all) => foundAgain(t, all)),
    judge(rows.status, (t, all) => sameStatus(t, all)),
  ];
}

/**
 * Judges that each selected attempt was refused without revealing data of the owner. A success is legal if an unknown
 * id succeeds as well.
 */
function closed(t: CheckContext, all: TwoKeys, wanted: (attempt: ForeignAttempt) => boolean): void {
  const ours = secretsIn([...all.before, ...all.attempts.flatMap(({ own }) => own ?? [])]);
  for (const attempt of all.attempts.filter((item) => wanted(item) && isTelling(item))) {
    const { place, exchange, unknown } = attempt;
    if (exchange === undefined) continue;
    const cell = placeName(place);
    const told = ours.find((secret) => tells(exchange, secret) && !unknown.body.includes(secret));
    const saw = told === undefined ? '' : ` and tells ${JSON.stringify(told)}`;
    const message = `${cell} with the key of another project ${describeAnswer(exchange)}${saw} for an id of ours, and ${describeAnswer(unknown)} for an unknown id; expected a refusal (4xx) that tells nothing, or the same answer as for an unknown id${sameProject}`;
    const holds = refused(exchange) || saysNothing(exchange) || (succeeded(unknown) && succeeded(exchange));
    t.expect(holds && told === undefined, { cell, exchange, message });
  }
}

/** Returns true if a response body contains a secret that its own request does not contain. */
function tells({ body, request }: Exchange, secret: string): boolean {
  return body.includes(secret) && !`${request.url} ${request.body ?? ''}`.includes(secret);
}

/**
 * Returns true if an attempt can be judged: the owner's same request succeeded or was not sent, or the attempt itself
 * was not refused.
 */
function isTelling({ own, exchange }: ForeignAttempt): boolean {
  return own === undefined || succeeded(own) || (exchange !== undefined && !refused(exchange));
}

function unlisted(t: CheckContext, all: TwoKeys): void {
  const booked = t.ledger.entries().filter(({ key }) => key !== 'other');
  const ours = new Set([...Object.values(all.resources.ids), ...booked.flatMap(({ id }) => id ?? [])]);
  for (const shown of all.lists) {
    for (const page of [...shown.small, ...shown.whole]) onPage(t, { shown, page, ours });
    counted(t, shown);
  }
}

interface Shown {
  shown: ForeignList;
  page: Exchange;
  ours: ReadonlySet<string>;
}

function onPage(t: CheckContext, { shown: { list }, page, ours }: Shown): void {
  if (!succeeded(page)) return;
  const found = listItems(page, list.items).map((item) => toText(memberAt(item, list.id)));
  const foreign = found.find((id) => ours.has(id));
  const cell = list.operation.key;
  const message = `${cell} shows another project ${foreign ?? ''}, which is ours; expected that it does not${sameProject}`;
  t.expect(foreign === undefined, { cell, exchange: page, message });
}

function counted(t: CheckContext, shown: ForeignList): void {
  const { list, whole } = shown;
  const [page] = whole;
  if (page === undefined || !whole.every((item) => succeeded(item)) || list.paging.style !== 'number') return;
  const count = whole.flatMap((item) => listItems(item, list.items)).length;
  const total = memberAt(page.json, list.paging.total);
  const cell = list.operation.key;
  const message = `${cell} tells another project the total ${toText(total)}, and its pages hold ${count}; expected that only shown items are counted`;
  t.expect(isCounted(shown), { cell, exchange: page, message });
}

function sameStatus(t: CheckContext, { attempts }: TwoKeys): void {
  for (const { place, exchange, unknown } of attempts) {
    if (exchange === undefined || !refused(exchange) || !refused(unknown)) continue;
    if (saysNothing(exchange) || saysNothing(unknown)) continue;
    const cell = placeName(place);
    const message = `${cell} with the key of another project ${describeAnswer(exchange)} for an id of ours and ${describeAnswer(unknown)} for an unknown id; expected the same status, because the difference tells that it exists`;
    t.expect(exchange.status === unknown.status, { cell, exchange, message });
  }
}

/** Returns the distinct texts in some responses that only their owner can know. */
function secretsIn(answers: readonly Exchange[]): string[] {
  const texts = answers.flatMap(({ json }) => (json === undefined ? [] : textsIn(json)));
  return [...new Set(texts.filter((text) => telling.some((pattern) => pattern.test(text))))];
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => textsIn(item)) : [];
}

/**
 * Judges that every read that had succeeded for the owner still succeeds after the attempts of the other project. The
 * read must show no change that the other project may have caused.
 */
function foundAgain(t: CheckContext, all: TwoKeys): void {
  const expected = buildExpected(t, all);
  for (const [index, first] of all.before.entries()) {
    const again = all.after[index];
    // A resource that was missing may appear by itself, such as the logs of a task that has ended.
    if (again === undefined || !succeeded(first)) continue;
    const cell = `${first.generation}.${first.operation}`;
    const change = firstChange(t, { first, again }, expected);
    const found = change ?? describeAnswer(again);
    const message = `after another project had tried everything, ${cell} shows its owner ${found}; it had answered ${first.status}; expected that nothing of ours has changed`;
    const holds = succeeded(again) && change === undefined;
    t.expect(holds, { cell, exchange: again, message });
  }
}

interface Expected {
  /** Status words of a resource that a request has stopped. */
  stopped: ReadonlySet<JsonValue>;
  /** Bodies of all requests of the other project, as one text. */
  asked: string;
  /**
   * True when a response shows the task or run as completed. A stopped resource or a changed queue is then no effect of
   * the other project.
   */
  completed: boolean;
}

function buildExpected({ target, recorder }: CheckContext, { after, attempts, resources }: TwoKeys): Expected {
  const jobs = (['task', 'run'] as const).flatMap((kind) => jobTarget(target, kind) ?? []);
  const ids = Object.values(resources.ids);
  // The task may end between two requests of the owner; later exchanges show the end as well.
  const later = recorder.all().filter(({ request }) => ids.some((id) => request.url.includes(id)));
  return {
    stopped: new Set(['stopped', 'cancelled', ...jobs.flatMap(({ states }) => states.ended)]),
    asked: attempts.map(({ exchange }) => exchange?.request.body ?? '').join(' '),
    completed: [...after, ...later].some(({ operation, json }) =>
      jobs.some((job) => Object.values(job.operations).includes(operation) && jobPhase(job, json) === 'completed'),
    ),
  };
}

/**
 * Returns the first documented member that has changed and should not have, as text with both values. Undefined without
 * such a member, and if a body is not an object.
 */
function firstChange(
  t: CheckContext,
  { first, again }: { first: Exchange; again: Exchange },
  expected: Expected,
): string | undefined {
  const operation = findOperation(t.target, first);
  const schema = operation === undefined ? undefined : t.answers.getSchema(operation, operation.successStatus);
  const known = operation === undefined || schema === undefined ? [] : listMembers(t, operation.generation, schema);
  const [before, now] = [first.json, again.json];
  if (!isJsonObject(before) || !isJsonObject(now)) return undefined;
  const changed = known.find((name) => hasChanged([name, before[name] ?? null, now[name] ?? null], expected));
  return changed === undefined
    ? undefined
    : `${changed} ${show(now[changed] ?? null)} instead of ${show(before[changed] ?? null)}`;
}

function listMembers(t: CheckContext, generation: Generation, found: JsonObject): string[] {
  const { properties, allOf } = t.answers.resolve(generation, found);
  const parts = Array.isArray(allOf) ? allOf.filter((part) => isJsonObject(part)) : [];
  const own = isJsonObject(properties) ? Object.keys(properties) : [];
  return [...own, ...parts.flatMap((part) => listMembers(t, generation, part))];
}

/** Members that may change while a resource works, or with every request. */
const moving =
  /(At|Urls?|Usd|Cost|Mb|Tokens?|Count|Summary|Id|After|Cursor)$|^(cost|output|result|steps|events|messages|answeredBy|isSuccess|isTaskSuccessful|hasMore|judge|judgement|judgeVerdict)$/;

function hasChanged(
  [name, before, now]: readonly [string, JsonValue, JsonValue],
  { stopped, asked, completed }: Expected,
): boolean {
  if (moving.test(name) || isAlike(before, now)) return false;
  if (name === 'status') return !completed && stopped.has(now);
  if (name === 'queue') return !completed;
  // The task of a session is its latest message that has begun. The other project's task must not appear here.
  if (name === 'task') return asked.includes(JSON.stringify(now));
  // A target may generate a title, but not the title that the other project has requested.
  return name === 'title' ? asked.includes(JSON.stringify(now)) : true;
}

/** Members that identify an item of a list. */
const lasting = ['id', 'path', 'name', 'size', 'text'];

function isAlike(before: JsonValue, now: JsonValue): boolean {
  return isSame(still(before), still(now));
}

function still(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.map((item) => (isJsonObject(item) ? lasting.map((name) => item[name] ?? null) : item));
}
