import type { RequirementId } from '#generated/requirements.ts';
import { malformedUuid } from '../../properties/arbitraries/index.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { isSame, type JsonObject } from '../../core/json.ts';
import { expectForAll } from '../../core/property.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { Generation, Target } from '../../core/target.ts';
import { countryBrowsers } from '../browsers/scenarios-countries.ts';
import { wrongBodies } from '../browsers/scenarios-pair.ts';
import { freeRequest } from '../../common/free-requests.ts';
import {
  errorLocations,
  expectRefused,
  type Refusal,
  otherLocation,
  saysNothing,
  strayLocation,
} from '../../common/refusals.ts';
import { joinRecordings, type Probed, type ProbeRecording } from '../../common/probe-cells.ts';
import { refusedPair } from '../../common/probe-bodies.ts';
import { show } from '../../core/text.ts';
import { taskRefusals } from '../v2-tasks/scenarios.ts';
import { sessionRefusals } from '../v3-sessions/scenarios-refusals.ts';
import {
  type CreatedKind,
  creations,
  isListedType,
  type WrongMember,
  wrongMembers,
} from './scenarios-wrong-members.ts';

/**
 * Checks of invalid requests, most of which must be answered with 422 and some with any 4xx; of unusual valid requests,
 * which must not be refused as malformed; and of responses, which must be JSON and be declared as JSON.
 */
export const malformedInputChecks: readonly Check[] = [
  check('V3-GET-02', { reads: true }, (t) => malformedId(t)),
  check('V3-GET-06', { reads: true }, (t) => capitalId(t)),
  refusedMembers('V3-CREATE-17', (cell) => isListedType(cell)),
  refusedMembers('V3-CREATE-04', (cell) => isModelName(cell)),
  refusedMembers('V3-ENUM-03', (cell) => isModelName(cell)),
  check('V3-ENUM-02', { needs: [sessionRefusals, taskRefusals, wrongMembers] }, async (t) => {
    const v3 = t.target.v3 === null ? [] : [(await t.recording(sessionRefusals)).unlisted];
    const v2 = t.target.v2 === null ? [] : [(await t.recording(taskRefusals)).unlisted];
    const members = await getWrongMemberProbes(t, ({ member }) => member === 'thinkingLevel');
    expectRefused<Cell>(t, joinRecordings<Cell>(...v3, ...v2, members), memberRefusal);
    // Each V2 request has a listed model and an unlisted level, so an error about the model alone says that the model
    // is unknown. V3 is not judged here, because a V3 model may also need an own key.
    for (const { cell, exchange } of joinRecordings<{ key: string }>(...v2).probes) {
      const other = strayLocation(exchange, 'thinkingLevel');
      const message = `${cell.key} was refused with a loc that names ${other} alone; expected only the location of thinkingLevel`;
      t.expect(other === undefined, { cell: cell.key, exchange, member: '/detail', message });
    }
  }),
  refusedMembers('V3-ENUM-04', (cell) => isCountry(cell, ['name'])),
  refusedMembers('V4-BROWSER-13', (cell) => cell.kind === 'browser' && isCountry(cell, ['name', 'case', 'type'])),
  refusedMembers('V3-ENUM-05', (cell) => isCountry(cell, ['case'])),
  refusedMembers('V2-TASK-02', ({ kind, member }) => kind === 'task' && member === 'task'),
  refusedMembers('V2-TASK-03', ({ kind, member }) => kind === 'task' && member === 'llm'),
  check('V4-RUN-02', {}, async (t) => {
    const absent = await runs.send(t, {}, { without: ['task'] });
    const without = `run creation without task answered ${absent.status}; expected 422`;
    if (!saysNothing(absent)) t.expect(absent.status === 422, { cell: 'absent', exchange: absent, message: without });
    const other = otherLocation(absent, ['task']);
    const elsewhere = `run creation without task was refused with a loc that names ${other}; expected the location of task`;
    if (absent.status === 422)
      t.expect(other === undefined, { cell: 'absent', exchange: absent, member: '/detail', message: elsewhere });
    const empty = await runs.send(t, { task: null });
    const withNull = `run creation with task null answered ${empty.status}; expected 422`;
    if (!saysNothing(empty)) t.expect(empty.status === 422, { cell: 'null', exchange: empty, message: withNull });
  }),
  refusedMembers('V4-RUN-03', ({ kind, member }) => kind === 'run' && member === 'model'),
  refusedMembers('V4-RUN-24', ({ kind, member }) => kind === 'run' && member === 'modelParams'),
  check('V4-BROWSER-21', { phase: 'last' }, (t) => wrongAction(t)),
  check('ERR-05', { needs: [wrongMembers] }, async (t) => {
    if (t.target.v3 !== null) await wordAsId(t);
    const wrong = await getWrongMemberProbes(t, () => true);
    expectRefused(t, wrong, memberRefusal);
    for (const probe of wrong.probes) locates(t, probe, wrong.probes);
    for (const to of taskCreations(t)) await nullMembers(t, to);
    const browsers = noBrowsers(t.target) === undefined ? [resource('browser')] : [];
    for (const to of [...taskCreations(t), ...browsers]) await noObject(t, to);
    for (const to of taskCreations(t)) await withCharset(t, to, findPlain(wrong.probes, to));
  }),
  check('GEN-02', { phase: 'last' }, async (t) => {
    for (const generation of t.generations) await readWithContentType(t, generation);
    for (const to of taskCreations(t)) {
      const exchange = await to.send(t, '{"task": "done"');
      const message = `${to.name} with malformed JSON answered ${exchange.status}; expected a refusal (4xx)`;
      t.expect(refused(exchange) || saysNothing(exchange), { cell: to.name, exchange, message });
    }
    for (const exchange of t.recorder.all().filter((item) => isShown(item) && item.json === undefined)) {
      const message = `${exchange.operation} ${describeAnswer(exchange)} with a body that is not JSON, ${show(exchange.body.slice(0, 80))}; expected JSON`;
      t.expect(false, { cell: exchange.operation, exchange, message });
    }
    for (const exchange of t.recorder.all().filter((item) => isShown(item) && item.json !== undefined)) {
      const type = exchange.headers['content-type'] ?? '';
      const message = `${exchange.operation} ${describeAnswer(exchange)} with JSON as ${type}; expected that JSON is declared as JSON`;
      t.expect(type === '' || /json/i.test(type), { cell: exchange.operation, exchange, message });
    }
  }),
];

/**
 * Returns true for an answer whose body the contract shows: a success or a 422. The contract shows no other error
 * bodies.
 */
function isShown({ generation, status, body }: Exchange): boolean {
  return generation !== 'other' && body !== '' && ((status >= 200 && status < 300) || status === 422);
}

function isModelName({ kind, member, fault }: WrongMember): boolean {
  return kind === 'session' && member === 'model' && fault !== 'type';
}

/**
 * Returns true for a wrong value of the country member, with one of the given faults. The target file names this member
 * for sessions, so the session members with other closed lists are excluded.
 */
function isCountry({ kind, member, fault }: WrongMember, faults: readonly WrongMember['fault'][]): boolean {
  const others = ['llm', 'model', 'thinkingLevel'];
  return ['browser', 'session'].includes(kind) && !others.includes(member) && faults.includes(fault);
}

/**
 * Creates a check that every wrong value of the selected members is refused: with 422, or with any 4xx if the request
 * also has `useOwnKey`. The check is not testable if the target offers no creation with such a member.
 */
function refusedMembers(id: RequirementId, isOne: (cell: WrongMember) => boolean): Check {
  return check(id, { needs: [wrongMembers] }, async (t) => {
    const recording = await getWrongMemberProbes(t, isOne);
    if (recording.probes.length === 0) t.notTestable('the target offers no creation with this member (target file)');
    expectRefused(t, recording, memberRefusal);
  });
}

/** A cell of `wrongMembers` or of another table. */
type Cell = { key: string } & Partial<WrongMember>;

/** Returns true if the refusal of a wrong member may be about the provider key that `useOwnKey` needs. */
function mayNeedKey({ beside }: Cell): boolean {
  return beside !== undefined && 'useOwnKey' in beside;
}

function memberRefusal(cell: Cell): Refusal {
  return mayNeedKey(cell) ? '4xx' : '422';
}

/** Returns the recording of `wrongMembers`, reduced to the cells that the predicate selects. */
export async function getWrongMemberProbes(
  t: CheckContext,
  isOne: (cell: WrongMember) => boolean,
): Promise<ProbeRecording<WrongMember>> {
  const { probes, unsent } = await t.recording(wrongMembers);
  return { probes: probes.filter(({ cell }) => isOne(cell)), unsent: unsent.filter((cell) => isOne(cell)) };
}

/** Options that change the request of a creation. */
interface SendOptions {
  /** Members to leave out of the body. @defaultValue none */
  without?: readonly string[];
  /** Headers that replace those of the client. @defaultValue none */
  headers?: Record<string, string>;
}

/** A resource that is created with a JSON body. */
interface Resource {
  name: string;
  generation: Generation;
  operation: string;
  /** Returns the smallest valid body. */
  body(target: Target): JsonObject;
  /** Sends a valid body with some members replaced or left out, or sends a raw body. */
  send(t: CheckContext, change: JsonObject | string, more?: SendOptions): Promise<Exchange>;
}

const sessions = resource('session');
const runs = resource('run');

/** Returns the resources that a target creates from a JSON body with a task. */
function taskCreations(t: CheckContext): Resource[] {
  return [resource('task'), sessions, runs].filter(({ generation }) => t.target[generation] !== null);
}

function resource(kind: CreatedKind): Resource {
  const { body, ...place } = creations[kind];
  const { generation, operation } = place;
  return {
    name: `${generation} ${operation}`,
    generation,
    operation,
    body,
    send: (t, change, { without = [], headers = {} } = {}) => {
      if (typeof change === 'string') return t.resources.probe(kind, { ...place, method: 'POST', rawBody: change });
      const members = Object.entries({ ...body(t.target), ...change }).filter(([member]) => !without.includes(member));
      return t.resources.probe(kind, { ...place, method: 'POST', body: Object.fromEntries(members), headers });
    },
  };
}

/**
 * Sends a word in place of a session id, the contract's example of a request that fails validation. Expects 422 for a
 * fetch, and no success for a stop.
 */
async function wordAsId(t: CheckContext): Promise<void> {
  const word = 'not-a-uuid';
  const spec = { generation: 'v3', operation: 'getSession', method: 'GET', path: `/sessions/${word}` } as const;
  const exchange = await t.send({ ...spec, invalid: true });
  const message = `a session_id that is a word ${describeAnswer(exchange)}; expected 422`;
  t.expect(exchange.status === 422, { cell: 'session_id', exchange, message });
  const stop = t.sessions.request('stop', word);
  if (stop?.path.includes(word) !== true) return;
  const stopped = await t.send({ ...stop, invalid: true });
  const told = `the stop of a session_id that is a word ${describeAnswer(stopped)}; expected no success`;
  t.expect(!succeeded(stopped), { cell: 'session_id of a stop', exchange: stopped, message: told });
}

function malformedId(t: CheckContext): Promise<void> {
  return expectForAll(t, {
    cell: 'v3 getSession session_id',
    arbitrary: malformedUuid(),
    send: (id) =>
      t.send({ generation: 'v3', operation: 'getSession', method: 'GET', path: `/sessions/${id}`, invalid: true }),
    holds: ({ status }) => status === 422,
    expected: '422 for a session_id that is no uuid',
  });
}

/**
 * Judges that a UUID in capital letters is not refused as malformed: 422 is legal only if the same id in small letters
 * is also answered with 422. No session has this id, so any other answer is legal.
 */
async function capitalId(t: CheckContext): Promise<void> {
  const id = `AB${randomUuid(createRandom(t.seed + 6)).slice(2)}`.toUpperCase();
  const look = (of: string): Promise<Exchange> =>
    t.send({ generation: 'v3', operation: 'getSession', method: 'GET', path: `/sessions/${of}` });
  const exchange = await look(id);
  if (!refused(exchange) && !succeeded(exchange)) t.notTestable(`the session_id ${id} ${describeAnswer(exchange)}`);
  const isMalformed = exchange.status === 422 && (await look(id.toLowerCase())).status !== 422;
  const message = `the session_id ${id} ${describeAnswer(exchange)}; expected that a uuid in capital letters is a uuid`;
  t.expect(!isMalformed, { cell: 'session_id', exchange, message });
}

/**
 * Judges that a creation whose task has a wrong type is refused with 422 even if another member is null. No document
 * states whether null may stand for an absent member, so null alone is not judged.
 */
async function nullMembers(t: CheckContext, to: Resource): Promise<void> {
  const members = t.schemas.bodyMembers(to.generation, to.operation).filter((member) => member !== 'task');
  for (const member of members) {
    const exchange = await to.send(t, { task: { unexpected: 'value' }, [member]: null });
    const message = `${to.name} with ${member} null and a task that is an object answered ${exchange.status}; expected 422`;
    t.expect(exchange.status === 422 || saysNothing(exchange), { cell: `${to.name} ${member}`, exchange, message });
  }
}

/**
 * Judges that the `loc` of a 422 names no other listed member unless it also names the wrong member. A `loc` without a
 * listed member is legal: it may be the whole body, or a field name of the service.
 */
function locates(t: CheckContext, { cell, exchange }: Probed<WrongMember>, all: readonly Probed<WrongMember>[]): void {
  const listed = all.filter((one) => one.cell.kind === cell.kind).map((one) => one.cell.member);
  const other = otherLocation(exchange, [cell.member, ...(mayNeedKey(cell) ? ['useOwnKey'] : [])], listed);
  const message = `${cell.key} was refused with a loc that names ${other}; expected the location of the offending input`;
  t.expect(other === undefined, { cell: cell.key, exchange, member: '/detail', message });
}

/**
 * Judges that a JSON body that is not an object is refused with a 4xx; the contract does not state which status. If
 * a creation needs a task, also judges that null and an empty body cause no server error: both may stand for an empty
 * object.
 */
async function noObject(t: CheckContext, to: Resource): Promise<void> {
  for (const body of [JSON.stringify([to.body(t.target)]), '"done"', '7']) {
    const exchange = await to.send(t, body);
    const message = `${to.name} with the body ${body} answered ${exchange.status}; expected a refusal (4xx)`;
    t.expect(refused(exchange) || saysNothing(exchange), { cell: to.name, exchange, message });
  }
  for (const body of (await needsTask(t, to)) ? ['null', ''] : []) {
    const exchange = await to.send(t, body);
    const message = `${to.name} with the body ${show(body)} answered ${exchange.status}; expected an answer about the request`;
    t.expect(exchange.status < 500 || saysNothing(exchange), { cell: to.name, exchange, message });
  }
}

/**
 * Returns true if the creation needs a task. The contract requires a task only for runs. For tasks and sessions, sends
 * a model and level that must be refused, without a task; returns true if the `loc` of a 422 names the task.
 */
async function needsTask(t: CheckContext, to: Resource): Promise<boolean> {
  if (to.operation === 'createRun') return true;
  if (to.operation === 'createBrowser') return false;
  const exchange = await to.send(t, refusedPair(to.generation, t.seed), { without: ['task'] });
  return errorLocations(exchange).some((loc) => loc.includes('task'));
}

/**
 * Judges that the free request of a generation, if it is a GET, is not refused because of `content-type:
 * application/json`, the header that the contract shows for every request.
 */
async function readWithContentType(t: CheckContext, generation: Generation): Promise<void> {
  const spec = freeRequest(t, generation);
  if (spec?.method !== 'GET') return;
  const plain = await t.send(spec);
  const declared = await t.send({ ...spec, headers: { ...spec.headers, 'content-type': 'application/json' } });
  const message = `${spec.operation} with content-type application/json ${describeAnswer(declared)}, and without it ${describeAnswer(plain)}; expected the same answer`;
  const isRefused = refused(declared) && declared.status !== plain.status;
  t.expect(!isRefused || saysNothing(declared), { cell: generation, exchange: declared, message });
}

/** A task of a wrong type, which is sent without and with a charset in the content type. */
const objectTask: JsonObject = { task: { unexpected: 'value' } };

/**
 * Returns the answer to the request with `objectTask` whose content type has no charset; undefined if the request was
 * not sent.
 */
function findPlain(probes: readonly Probed<WrongMember>[], { operation }: Resource): Exchange | undefined {
  return probes.find(
    ({ cell: { kind, member, value, beside } }) =>
      creations[kind].operation === operation && beside === undefined && isSame({ [member]: value }, objectTask),
  )?.exchange;
}

/**
 * Judges that invalid bodies are also refused with `content-type: application/json; charset=utf-8`. Such a refusal
 * shows that the target parses the body. A charset has no effect on JSON: a body that gets a 422 without a charset must
 * get a 422 with it.
 */
async function withCharset(t: CheckContext, to: Resource, plain: Exchange | undefined): Promise<void> {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const exchange = await to.send(t, objectTask, { headers });
  const isKept = plain?.status === 422 ? exchange.status === 422 : refused(exchange);
  const wanted = plain?.status === 422 ? '422, as without the charset' : 'a refusal (4xx)';
  const message = `${to.name} with a task that is an object, sent as ${headers['content-type']}, answered ${exchange.status}; expected ${wanted}`;
  t.expect(isKept || saysNothing(exchange), { cell: to.name, exchange, message });
  const members = refusedPair(to.generation, t.seed);
  const pair = await to.send(t, members, { headers });
  const told = `${to.name} with ${show(members)}, sent as ${headers['content-type']}, answered ${pair.status}; expected a refusal (4xx)`;
  t.expect(refused(pair) || saysNothing(pair), { cell: to.name, exchange: pair, message: told });
}

/**
 * Judges the answers to invalid bodies of the stop operation. Sends each body with an unknown id, which costs nothing.
 * A target may answer such a request only by the id, so the check also judges the same bodies that the scenario
 * `countryBrowsers` has sent to live browsers.
 */
async function wrongAction(t: CheckContext): Promise<void> {
  const reason = noBrowsers(t.target);
  if (reason !== undefined) t.notTestable(reason);
  const id = randomUuid(createRandom(t.seed));
  const sent: Exchange[] = [];
  for (const body of wrongBodies) sent.push(await t.browsers.stop(id, body));
  const live = t.recorder
    .all()
    .filter(({ operation, sentBy }) => operation === 'stopBrowser' && sentBy === countryBrowsers.name);
  const wrong = live.filter(({ request }) => isWrongBody(request.body));
  const ended = wrong.filter((exchange) =>
    live.slice(0, live.indexOf(exchange)).some((one) => isStopOf(exchange, one)),
  );
  // Some services answer 403 for an unknown id.
  const judged = [
    ...sent.filter(({ status }) => ![403, 404, 410].includes(status)),
    ...wrong.filter((one) => !ended.includes(one)),
  ];
  for (const exchange of judged.filter((one) => !saysNothing(one))) {
    const cell = `${exchange.request.body ?? ''}${live.includes(exchange) ? ' to a live browser' : ''}`;
    t.expect(exchange.status === 422, { cell, exchange, message: `${cell} answered ${exchange.status}; expected 422` });
  }
  // A target may look at the state of a browser before it judges the body.
  for (const exchange of ended) {
    const message = `another action on a stopped browser ${describeAnswer(exchange)}; expected a refusal`;
    t.expect(!succeeded(exchange), { cell: 'a stopped browser', exchange, message });
  }
  if (judged.length === 0) {
    t.notTestable('the target looks the browser up before it judges the body; needs a live browser (--spend browser)');
  }
}

/** Returns true if `earlier` is a successful stop, with a valid body, of the browser to which the request was sent. */
function isStopOf({ request }: Exchange, earlier: Exchange): boolean {
  return succeeded(earlier) && earlier.request.url === request.url && !isWrongBody(earlier.request.body);
}

function isWrongBody(text: string | undefined): boolean {
  return wrongBodies.some((body) => JSON.stringify(body) === text);
}
