import { models } from '#generated/rules.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { createCircuitBreaker, type Exchange } from '../../core/exchange.ts';
import { allOperations } from '../../core/operations.ts';
import { createRandom, randomUuid, sample } from '../../core/random.ts';
import type { RequestSpec } from '../../core/request.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Generation, Target } from '../../core/target.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { levelCells, levelWords, unlisted } from '../../common/level-cells.ts';
import { probeCells, type Probed, type ProbeRecording, selectedCells } from '../../common/probe-cells.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

/** Type of a member. `word` is a value of a closed list, `decimal` is an amount of US dollars as text. */
type MemberType = 'string' | 'boolean' | 'object' | 'word' | 'decimal';

/** Kind of a resource that is created with a JSON body. */
export type CreatedKind = 'task' | 'session' | 'run' | 'browser';

/** A value that a member of a creation must not accept. */
export interface WrongMember {
  /** Generation, operation, member and value, separated by spaces; then `beside`, if given. */
  key: string;
  kind: CreatedKind;
  member: string;
  value: JsonValue;
  /**
   * `type`: a value of another type. `name`: a text outside the closed list. `case`: a listed text in other letter
   * case.
   */
  fault: 'type' | 'name' | 'case';
  /** A valid member that is sent in the same request; undefined if no such member is sent. */
  beside?: JsonObject;
}

/** Members of V3 session creation that the contract lists. */
const listedSessionMembers: readonly (readonly [string, MemberType])[] = [
  ['task', 'string'],
  ['model', 'word'],
  ['thinkingLevel', 'word'],
  ['useOwnKey', 'boolean'],
  ['keepAlive', 'boolean'],
  ['codeMode', 'boolean'],
  ['outputSchema', 'object'],
  ['enableRecording', 'boolean'],
];

/**
 * Members of the creation of each kind, with the type that the contract gives them. The target file names some members
 * of sessions.
 */
const memberTypes: Readonly<Record<CreatedKind, (target: Target) => readonly (readonly [string, MemberType])[]>> = {
  task: () => [
    ['task', 'string'],
    ['llm', 'word'],
    ['thinkingLevel', 'word'],
    ['thinking', 'boolean'],
  ],
  session: ({ v3 }) => [
    ...listedSessionMembers,
    ...named(v3?.members.maxCostUsd, 'decimal'),
    ...named(v3?.members.proxyCountryCode, 'word'),
  ],
  run: () => [
    ['task', 'string'],
    ['model', 'string'],
    ['modelParams', 'object'],
  ],
  browser: () => [['proxyCountryCode', 'word']],
};

function named(member: string | null | undefined, type: MemberType): (readonly [string, MemberType])[] {
  return member === null || member === undefined ? [] : [[member, type]];
}

/** Generation, operation, path and smallest valid body of the creation of each kind. */
export const creations: Readonly<
  Record<
    CreatedKind,
    Pick<RequestSpec, 'operation' | 'path'> & { generation: Generation; body: (target: Target) => JsonObject }
  >
> = {
  task: { generation: 'v2', operation: 'createTask', path: '/tasks', body: taskProbe },
  session: { generation: 'v3', operation: 'createSession', path: '/sessions', body: sessionProbe },
  run: { generation: 'v4', operation: 'createRun', path: '/runs', body: runProbe },
  browser: { generation: 'v4', operation: 'createBrowser', path: '/browsers', body: () => ({}) },
};

/**
 * Returns values of wrong types, including `false` and the empty string, which a truthiness test treats as absent.
 * Omits values that a tolerant parser may coerce: 0, 1 or "true" for a boolean, a number for a decimal, a one-item
 * array for its item. Omits null, which may mean absent.
 */
function wrongValues(type: MemberType, seed: number): readonly JsonValue[] {
  const number = 2 + Math.floor(createRandom(seed)() * 1_000_000);
  const containers: JsonValue[] = [[number, number + 1], { unexpected: 'value' }];
  const others: Readonly<Record<MemberType, readonly JsonValue[]>> = {
    string: [number, true, false],
    boolean: [number, '', 'high'],
    object: [number, 'svc-text', true, ''],
    word: [number, true, false, ''],
    decimal: ['much', '-', '', true],
  };
  return [...others[type], ...containers.filter((value) => type !== 'object' || Array.isArray(value))];
}

/**
 * Returns names outside a closed list: invented names, one of them in another script, changed names, listed names with
 * an added space, names that every JavaScript object inherits, and `others`, which clients easily mistake for listed
 * names.
 */
function unlistedNames(listed: readonly string[], others: readonly string[], seed: number): readonly string[] {
  const [one = 'word', two = one, three = two] = sample(listed, 3, seed);
  const names = [
    unlisted,
    'svc-Ünlisted-漢字',
    'default',
    'null',
    one.toUpperCase(),
    two.charAt(0).toUpperCase() + two.slice(1),
    `${three}-unlisted`,
    `x${one}`,
    two.slice(0, -1),
    ` ${one}`,
    `${two} `,
    ...inheritedNames,
    ...others,
  ];
  return [...new Set(names)].filter((name) => !listed.includes(name));
}

/** Members that every JavaScript object inherits: a careless lookup in a table finds them. */
const inheritedNames = ['constructor', '__proto__'];

/** Words that resemble listed country codes but are not listed: `gb` and `ci` are countries, `zz` and `xx` are not. */
const countryWords = ['gb', 'ci', 'zz', 'xx', 'eu', 'usa', 'germany', 'us-ca'];

/** Returns four pairs of letters that are no listed country code, chosen by the seed. */
function unlistedPairs(listed: readonly string[], seed: number): string[] {
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const pairs = letters.flatMap((one) => letters.map((two) => one + two));
  return sample(
    pairs.filter((pair) => !listed.includes(pair)),
    4,
    seed,
  );
}

/** Returns the names of the models of a generation. */
function modelNames(generation: Generation): string[] {
  return models[generation].models.map(({ name }) => name);
}

/** Returns the name of a model without its final date, `preview` or `latest`. */
function withoutVersion(name: string): string {
  return name.replace(/-(\d{8}|preview|latest)$/, '');
}

/** A member that accepts the values of a closed list. */
interface ClosedList {
  kind: CreatedKind;
  member: string;
  listed: readonly string[];
  /** Values that clients easily mistake for values of this list. */
  others: readonly string[];
}

/** Returns two model names in the form `provider/model`, as other APIs write them. */
function prefixedNames(generation: 'v2' | 'v3', seed: number): string[] {
  const names = new Set(levelCells(generation).map(({ provider, model }) => `${provider}/${model}`));
  return sample([...names], 2, seed);
}

/** Thinking levels that other APIs accept. */
const levelLikes = ['none', 'minimal', 'xhigh', 'max', 'adaptive', 'auto', 'off'];

/** Returns the closed lists of models and levels. The list of V4 models is open. */
function ruleLists(seed: number): ClosedList[] {
  const [v2, v3, v4] = [modelNames('v2'), modelNames('v3'), modelNames('v4')];
  const levels = { member: 'thinkingLevel', listed: levelWords, others: levelLikes };
  return [
    {
      kind: 'task',
      member: 'llm',
      listed: v2,
      others: [...v3, ...v4, ...v2.map(withoutVersion), ...prefixedNames('v2', seed)],
    },
    { kind: 'task', ...levels },
    { kind: 'session', member: 'model', listed: v3, others: [...v2, ...v4, ...prefixedNames('v3', seed)] },
    { kind: 'session', ...levels },
  ];
}

/** Returns the closed list of country codes, once for each member that accepts a country code. */
function countryLists({ target, schemas, seed }: Drawing): ClosedList[] {
  const words = schemas.component('v4', 'ProxyCountryCode')['enum'];
  const listed = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  const others = [
    ...countryWords,
    ...unlistedPairs(listed, seed),
    ...sample(listed, 3, seed).map((code) => code.toUpperCase()),
  ];
  const session = target.v3?.members.proxyCountryCode ?? null;
  return [
    { kind: 'browser', member: 'proxyCountryCode', listed, others },
    ...(session === null ? [] : [{ kind: 'session' as const, member: session, listed, others }]),
  ];
}

/**
 * Valid members that are sent beside an unlisted name, by kind. A faulty service may check names only if these members
 * are absent.
 */
const validMembers: Readonly<Partial<Record<CreatedKind, readonly JsonObject[]>>> = {
  task: [{ thinking: true }],
  session: [{ useOwnKey: true }, { keepAlive: true }],
};

/** Number of unlisted names that are sent beside each valid member. */
const namesBeside = 3;

/**
 * Returns names outside the closed lists of models and levels, each beside a valid member. The seed chooses the names.
 */
function unlistedBesideValid(seed: number): WrongMember[] {
  return ruleLists(seed).flatMap((list) =>
    (validMembers[list.kind] ?? []).flatMap((beside) =>
      sample(unlistedNames(list.listed, list.others, seed), namesBeside, seed).map((value) =>
        unlistedMember(list, value, beside),
      ),
    ),
  );
}

type Drawing = Pick<ScenarioContext, 'target' | 'schemas' | 'seed'>;

/** Returns a cell for every wrong value that a run sends in the creations that a target offers. */
function wrongMemberCells(drawing: Drawing): WrongMember[] {
  const { target, seed } = drawing;
  const kinds = (['task', 'session', 'run', 'browser'] as const).filter(
    (kind) => target[creations[kind].generation] !== null && (kind !== 'browser' || noBrowsers(target) === undefined),
  );
  const typed = kinds.flatMap((kind) =>
    memberTypes[kind](target).flatMap(([member, type]) =>
      wrongValues(type, seed).map((value) => wrongMember({ kind, member, value, fault: 'type' })),
    ),
  );
  const worded = [...ruleLists(seed), ...countryLists(drawing)]
    .filter(({ kind }) => kinds.includes(kind))
    .flatMap((list) => unlistedNames(list.listed, list.others, seed).map((value) => unlistedMember(list, value)));
  return [...typed, ...worded, ...unlistedBesideValid(seed).filter(({ kind }) => kinds.includes(kind))];
}

function unlistedMember({ kind, member, listed }: ClosedList, value: string, beside?: JsonObject): WrongMember {
  const fault = listed.includes(value.toLowerCase()) ? 'case' : 'name';
  return wrongMember({ kind, member, value, fault, ...(beside === undefined ? {} : { beside }) });
}

/** Returns true for a member of session creation that the contract lists, sent with a value of a wrong type. */
export function isListedType({ kind, member, fault }: WrongMember): boolean {
  return kind === 'session' && fault === 'type' && listedSessionMembers.some(([name]) => name === member);
}

function wrongMember(fault: Omit<WrongMember, 'key'>): WrongMember {
  const { generation, operation } = creations[fault.kind];
  const beside = fault.beside === undefined ? '' : ` beside ${JSON.stringify(fault.beside)}`;
  return { key: `${generation} ${operation} ${fault.member} ${JSON.stringify(fault.value)}${beside}`, ...fault };
}

/** Sends each creation with one member of a wrong type, or with a name outside its closed list. Records the answers. */
export const wrongMembers: Scenario<ProbeRecording<WrongMember>> = {
  name: 'wrong-members',
  creates: 'nothing: each listed member is sent with values that it does not take',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  run: async (context) => {
    // Uses one circuit breaker per kind and fault: a target that accepts any type may still validate values.
    const cells = selectedCells(wrongMemberCells(context), context.onlyCell);
    const byFault = Map.groupBy(cells, ({ kind, fault }) => `${kind} ${fault}`);
    const probes: Probed<WrongMember>[] = [];
    const unsent: WrongMember[] = [];
    for (const group of byFault.values()) {
      const sent = await probeCells(group, (cell) => sendWrong(context, cell), createCircuitBreaker());
      probes.push(...sent.probes);
      unsent.push(...sent.unsent);
    }
    if (context.onlyCell === undefined) {
      await misuseChanges(context);
      await misuseLists(context);
    }
    return { probes, unsent };
  },
};

function sendWrong({ resources, target }: ScenarioContext, cell: WrongMember): Promise<Exchange> {
  const { kind, member, value, beside } = cell;
  const { body, ...place } = creations[kind];
  return resources.probe(kind, { ...place, method: 'POST', body: { ...body(target), ...beside, [member]: value } });
}

/**
 * Calls each offered POST or PATCH operation whose path has an id. The id is unknown. The body has every member of the
 * operation's request schema, each with an object as its value. Returns nothing to judge, because a refusal may concern
 * the id or the body. The laws that judge the 422 bodies of all exchanges also judge these answers.
 */
async function misuseChanges({ operations, answers, seed }: ScenarioContext): Promise<void> {
  const path = [randomUuid(createRandom(seed + 15))];
  const changes = allOperations.filter((one) => ['POST', 'PATCH'].includes(one.method) && one.path.includes('{'));
  for (const operation of changes.filter(({ key }) => operations.offers(key))) {
    const properties = answers.getSchema(operation, 'request')?.['properties'];
    if (!isJsonObject(properties)) continue;
    const body = Object.fromEntries(Object.keys(properties).map((name) => [name, { unexpected: 'value' }]));
    await operations.call(operation.key, { path, body, invalid: true });
  }
}

/** Query parameters that set the page size of a list. */
const pageSizes = ['pageSize', 'page_size', 'limit'];

/** Calls each offered list operation with a word as its page size. Returns nothing to judge, like `misuseChanges`. */
async function misuseLists({ operations }: ScenarioContext): Promise<void> {
  const lists = allOperations.filter((one) => one.method === 'GET' && !one.path.includes('{'));
  for (const { key, queryParameters } of lists.filter((one) => operations.offers(one.key))) {
    const name = queryParameters.find((one) => pageSizes.includes(one));
    if (name !== undefined) await operations.call(key, { query: { [name]: 'svc-word' }, invalid: true });
  }
}
