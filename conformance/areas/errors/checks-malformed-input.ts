import { models } from '#generated/rules.ts';
import {
  type MemberType,
  malformedUuid,
  unlistedCountry,
  unlistedWord,
  upperCaseCountry,
  wrongType,
} from '../../properties/arbitraries/index.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused } from '../../core/exchange.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { expectForAll } from '../../core/property.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { countryBrowsers, wrongBodies } from '../browsers/scenarios-countries.ts';
import { expectRefused } from '../../common/refusals.ts';
import { joined } from '../../common/cells.ts';
import { taskRefusals } from '../v2-tasks/scenarios.ts';
import { sessionRefusals } from '../v3-sessions/scenarios-creation.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

const v3Members: readonly (readonly [string, MemberType])[] = [
  ['task', 'string'],
  ['model', 'word'],
  ['thinkingLevel', 'word'],
  ['useOwnKey', 'boolean'],
  ['keepAlive', 'boolean'],
  ['codeMode', 'boolean'],
  ['outputSchema', 'object'],
  ['enableRecording', 'boolean'],
];

/** Requests that are invalid by the contract itself; each is answered with 422. */
export const malformedInputChecks: readonly Check[] = [
  check('V3-GET-02', { reads: true }, (t) => malformedId(t)),
  check('V3-CREATE-17', {}, async (t) => {
    for (const [member, type] of v3Members) await wrongMember(t, sessions, [member, type]);
  }),
  check('V3-CREATE-04', {}, (t) => unlisted(t, sessions, ['model', wordsIn(t, 'v3', 'BuModel')])),
  check('V3-ENUM-03', {}, (t) => unlisted(t, sessions, ['model', wordsIn(t, 'v3', 'BuModel')])),
  check('V3-ENUM-02', { needs: [sessionRefusals, taskRefusals] }, async (t) => {
    const v3 = t.target.v3 === null ? [] : [(await t.recording(sessionRefusals)).unlisted];
    const v2 = t.target.v2 === null ? [] : [(await t.recording(taskRefusals)).unlisted];
    expectRefused(t, joined(...v3, ...v2), '422');
    if (t.target.v3 !== null) await unlisted(t, sessions, ['thinkingLevel', wordsIn(t, 'v3', 'ThinkingLevel')]);
    if (t.target.v2 !== null) await unlisted(t, tasks, ['thinkingLevel', wordsIn(t, 'v2', 'ThinkingLevel')]);
    if (t.target.v2 !== null) await wrongMember(t, tasks, ['thinkingLevel', 'word']);
  }),
  check('V3-ENUM-04', {}, (t) => countries(t, unlistedCountry)),
  check('V4-BROWSER-13', {}, (t) => countries(t, unlistedCountry, [browsers])),
  check('V3-ENUM-05', {}, (t) => countries(t, upperCaseCountry)),
  check('V2-TASK-02', {}, (t) => wrongMember(t, tasks, ['task', 'string'])),
  check('V2-TASK-03', {}, async (t) => {
    await wrongMember(t, tasks, ['llm', 'string']);
    await unlisted(t, tasks, ['llm', [models.v2.models[0].name]]);
  }),
  check('V4-RUN-02', {}, async (t) => {
    const absent = await runs.send(t, {}, ['task']);
    const without = `run creation without task answered ${absent.status}; expected 422`;
    t.expect(absent.status === 422, { cell: 'absent', exchange: absent, message: without });
    const empty = await runs.send(t, { task: null });
    const withNull = `run creation with task null answered ${empty.status}; expected 422`;
    t.expect(empty.status === 422, { cell: 'null', exchange: empty, message: withNull });
  }),
  check('V4-RUN-03', {}, (t) => wrongMember(t, runs, ['model', 'string'])),
  check('V4-RUN-24', {}, (t) => wrongMember(t, runs, ['modelParams', 'object'])),
  check('V4-BROWSER-21', { phase: 'last' }, (t) => wrongAction(t)),
  check('ERR-05', {}, async (t) => {
    if (t.target.v3 !== null) await malformedId(t);
    if (t.target.v3 !== null) await wrongMember(t, sessions, ['keepAlive', 'boolean']);
    if (t.target.v2 !== null) await wrongMember(t, tasks, ['task', 'string']);
    if (t.target.v4 !== null) await wrongMember(t, runs, ['task', 'string']);
    for (const to of creations(t)) await nullMembers(t, to);
    for (const to of creations(t)) await noObject(t, to);
  }),
  check('GEN-02', { phase: 'last' }, async (t) => {
    for (const to of creations(t)) {
      const exchange = await to.send(t, '{"task": "done"', []);
      const message = `${to.name} with malformed JSON answered ${exchange.status}; expected a refusal (4xx)`;
      t.expect(refused(exchange), { cell: to.name, exchange, message });
    }
    for (const exchange of t.recorder.all().filter((item) => isShown(item) && item.json === undefined)) {
      const message = `${exchange.operation} ${describeAnswer(exchange)} with a body that is not JSON`;
      t.expect(false, { cell: exchange.operation, exchange, message });
    }
  }),
];

// Bodies of errors are not shown, but for that of 422.
function isShown({ generation, status, body }: Exchange): boolean {
  return generation !== 'other' && body !== '' && ((status >= 200 && status < 300) || status === 422);
}

/** Something that is created with a JSON body. */
interface Resource {
  name: string;
  generation: 'v2' | 'v3' | 'v4';
  operation: string;
  /** Sends a valid body with some members replaced or left out, or a raw body. */
  send(t: CheckContext, change: JsonObject | string, without?: readonly string[]): Promise<Exchange>;
}

/** V2 tasks as something that is created with a JSON body. */
export const tasks: Resource = resource(
  { generation: 'v2', operation: 'createTask', path: '/tasks', kind: 'task' },
  taskProbe,
);
const sessions = resource({ generation: 'v3', operation: 'createSession', path: '/sessions', kind: 'session' }, (t) =>
  sessionProbe(t.target),
);
const runs = resource({ generation: 'v4', operation: 'createRun', path: '/runs', kind: 'run' }, (t) =>
  runProbe(t.target),
);
const browsers = resource(
  { generation: 'v4', operation: 'createBrowser', path: '/browsers', kind: 'browser' },
  () => ({}),
);

/** What a target creates from a JSON body with a task in it. */
function creations(t: CheckContext): Resource[] {
  return [tasks, sessions, runs].filter(({ generation }) => t.target[generation] !== null);
}

interface ResourcePlace {
  generation: Resource['generation'];
  operation: string;
  path: string;
  kind: 'task' | 'session' | 'run' | 'browser';
}

function resource({ kind, ...place }: ResourcePlace, base: (t: CheckContext) => JsonObject): Resource {
  return {
    name: `${place.generation} ${place.operation}`,
    generation: place.generation,
    operation: place.operation,
    send: (t, change, without = []) => {
      if (typeof change === 'string') return t.resources.probe(kind, { ...place, method: 'POST', rawBody: change });
      const members = Object.entries({ ...base(t), ...change }).filter(([member]) => !without.includes(member));
      return t.resources.probe(kind, { ...place, method: 'POST', body: Object.fromEntries(members) });
    },
  };
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

/** Judges that a value of a wrong type is refused with 422. A member has few of them: a quarter of the runs tries them all. */
export function wrongMember(
  t: CheckContext,
  to: Resource,
  [member, type]: readonly [string, MemberType],
): Promise<void> {
  return expectForAll<JsonValue>(t, {
    cell: `${to.name} ${member}`,
    arbitrary: wrongType(type),
    runs: Math.max(4, Math.ceil(t.propertyRuns / 4)),
    send: (value) => to.send(t, { [member]: value }),
    holds: ({ status }) => status === 422,
    expected: `422 for a ${member} that is no ${type}`,
  });
}

/**
 * Judges that a member without a value makes no difference to a refusal. Whether null may stand for an absent member is nowhere
 * said, so it comes with a task that is refused in any case.
 */
async function nullMembers(t: CheckContext, to: Resource): Promise<void> {
  const members = t.schemas.bodyMembers(to.generation, to.operation).filter((member) => member !== 'task');
  for (const member of members) {
    const exchange = await to.send(t, { task: { unexpected: 'value' }, [member]: null });
    const message = `${to.name} with ${member} null and a task that is an object answered ${exchange.status}; expected 422`;
    t.expect(exchange.status === 422, { cell: `${to.name} ${member}`, exchange, message });
  }
}

/** Judges that JSON which is no object is refused; with which of 400 and 422 is not said. */
async function noObject(t: CheckContext, to: Resource): Promise<void> {
  for (const body of ['["done"]', '"done"', '7']) {
    const exchange = await to.send(t, body);
    const message = `${to.name} with the body ${body} answered ${exchange.status}; expected a refusal (4xx)`;
    t.expect(refused(exchange), { cell: to.name, exchange, message });
  }
}

function unlisted(t: CheckContext, to: Resource, [member, words]: readonly [string, readonly string[]]): Promise<void> {
  return expectForAll(t, {
    cell: `${to.name} ${member}`,
    arbitrary: unlistedWord(words),
    send: (value) => to.send(t, { [member]: value }),
    holds: ({ status }) => status === 422,
    expected: `422 for a ${member} that is not listed`,
  });
}

async function countries(
  t: CheckContext,
  arbitrary: typeof unlistedCountry,
  only?: readonly Resource[],
): Promise<void> {
  const codes = wordsIn(t, 'v4', 'ProxyCountryCode');
  const member = t.target.v3?.members.proxyCountryCode ?? null;
  const places: [Resource, string | null][] = [
    [browsers, noBrowsers(t.target) === undefined ? 'proxyCountryCode' : null],
    [sessions, member],
  ];
  for (const [to, name] of places.filter(([item]) => only === undefined || only.includes(item))) {
    if (name === null) continue;
    await expectForAll(t, {
      cell: `${to.name} ${name}`,
      arbitrary: arbitrary(codes),
      send: (code) => to.send(t, { [name]: code }),
      holds: ({ status }) => status === 422,
      expected: '422 for a country code that is not listed',
    });
  }
}

// An unknown id costs nothing, but a target may look the browser up before it judges the body. The live browsers of
// other checks have been sent the same bodies by now.
async function wrongAction(t: CheckContext): Promise<void> {
  const reason = noBrowsers(t.target);
  if (reason !== undefined) t.notTestable(reason);
  const id = randomUuid(createRandom(t.seed));
  const sent: Exchange[] = [];
  for (const body of wrongBodies) sent.push(await t.browsers.stop(id, body));
  const live = t.recorder
    .all()
    .filter(({ operation, sentBy }) => operation === 'stopBrowser' && sentBy === countryBrowsers.name);
  const judged = [
    ...sent.filter(({ status }) => status !== 404),
    ...live.filter(({ request }) => isWrongBody(request.body)),
  ];
  for (const exchange of judged) {
    const cell = `${exchange.request.body ?? ''}${live.includes(exchange) ? ' to a live browser' : ''}`;
    t.expect(exchange.status === 422, { cell, exchange, message: `${cell} answered ${exchange.status}; expected 422` });
  }
  if (judged.length === 0) {
    t.notTestable('the target looks the browser up before it judges the body; needs a live browser (--spend browser)');
  }
}

function isWrongBody(text: string | undefined): boolean {
  return wrongBodies.some((body) => JSON.stringify(body) === text);
}

function wordsIn(t: CheckContext, generation: Resource['generation'], component: string): string[] {
  const words = t.schemas.component(generation, component)['enum'];
  return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
}
