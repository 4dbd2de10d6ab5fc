import { models } from '#generated/rules.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { createCircuitBreaker, type Exchange } from '../../core/exchange.ts';
import { createRandom, sample } from '../../core/random.ts';
import type { RequestSpec } from '../../core/request.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Generation, Target } from '../../core/target.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { levelWords, probeCells, type Probed, type ProbeRecording, selectedCells } from '../../common/cells.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

/** What a member takes; `word` is a member of a closed list of texts, `decimal` a number of US dollars as text. */
type MemberType = 'string' | 'boolean' | 'object' | 'word' | 'decimal';

/** Something that is created with a JSON body. */
export type CreatedKind = 'task' | 'session' | 'run' | 'browser';

/** One value that a member of a creation does not take. */
export interface WrongMember {
  /** `<generation> <operation> <member> <value>`. */
  key: string;
  kind: CreatedKind;
  member: string;
  value: JsonValue;
  /** `type`: of a type that the member does not have. `name`: text that its closed list does not have. `case`: listed in other letters. */
  fault: 'type' | 'name' | 'case';
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

/** The members that have a type by the contract, by what is created; the target file names some of those of sessions. */
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

/** How each kind is created: its generation, operation and the smallest valid body. */
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
 * Values of each other type, one of each. What a tolerant parser reads as a value of the type is left out: 0, 1 and the text `true`
 * for a boolean, a number for a decimal, a list of one for its item, and null, which many parsers take for an absent member.
 */
function wrongValues(type: MemberType, seed: number): readonly JsonValue[] {
  const number = 2 + Math.floor(createRandom(seed)() * 1_000_000);
  const containers: JsonValue[] = [[number, number + 1], { unexpected: 'value' }];
  const others: Readonly<Record<MemberType, readonly JsonValue[]>> = {
    string: [number, true],
    boolean: [number, '', 'perhaps'],
    object: [number, 'svc-text', true],
    word: [number, true, ''],
    decimal: ['much', '-', '', true],
  };
  return [...others[type], ...containers.filter((value) => type !== 'object' || Array.isArray(value))];
}

/** Names that a closed list does not have: invented ones, changed ones, and `others`, which belong to another list. */
function unlistedNames(listed: readonly string[], others: readonly string[], seed: number): readonly string[] {
  const [one = 'word', two = one, three = two] = sample(listed, 3, seed);
  const names = [
    'svc-unlisted',
    'default',
    'null',
    one.toUpperCase(),
    two.charAt(0).toUpperCase() + two.slice(1),
    `${three}-unlisted`,
    `x${one}`,
    two.slice(0, -1),
    ...others,
  ];
  return [...new Set(names)].filter((name) => !listed.includes(name));
}

/** Codes that the list does not have although they look like country codes: `gb` and `ci` are countries, `zz` and `xx` are not. */
const countryWords = ['gb', 'ci', 'zz', 'xx', 'eu', 'usa', 'germany', 'us-ca'];

/** Two letters that no listed country has; the seed draws four. */
function unlistedPairs(listed: readonly string[], seed: number): string[] {
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const pairs = letters.flatMap((one) => letters.map((two) => one + two));
  return sample(
    pairs.filter((pair) => !listed.includes(pair)),
    4,
    seed,
  );
}

/** The names of the models of a generation. */
function modelNames(generation: Generation): string[] {
  return models[generation].models.map(({ name }) => name);
}

/** A member that takes the texts of a closed list. */
interface ClosedList {
  kind: CreatedKind;
  member: string;
  listed: readonly string[];
  /** Texts of other lists, which are easily mistaken for it. */
  others: readonly string[];
}

/** The closed lists of models and levels. That of V4 models is open. */
const ruleLists: readonly ClosedList[] = [
  { kind: 'task', member: 'llm', listed: modelNames('v2'), others: [...modelNames('v3'), ...modelNames('v4')] },
  {
    kind: 'task',
    member: 'thinkingLevel',
    listed: levelWords,
    others: ['none', 'minimal', 'xhigh', 'max', 'adaptive'],
  },
  { kind: 'session', member: 'model', listed: modelNames('v3'), others: [...modelNames('v2'), ...modelNames('v4')] },
  {
    kind: 'session',
    member: 'thinkingLevel',
    listed: levelWords,
    others: ['none', 'minimal', 'xhigh', 'max', 'adaptive'],
  },
];

/** The closed list of country codes, by the members that take one. */
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

type Drawing = Pick<ScenarioContext, 'target' | 'schemas' | 'seed'>;

/** Every wrong value that a run sends to the kinds that a target offers. */
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
  const worded = [...ruleLists, ...countryLists(drawing)]
    .filter(({ kind }) => kinds.includes(kind))
    .flatMap(({ kind, member, listed, others }) =>
      unlistedNames(listed, others, seed).map((value) =>
        wrongMember({ kind, member, value, fault: listed.includes(value.toLowerCase()) ? 'case' : 'name' }),
      ),
    );
  return [...typed, ...worded];
}

/** True for a member of session creation that the contract lists, with a value of a wrong type. */
export function isListedType({ kind, member, fault }: WrongMember): boolean {
  return kind === 'session' && fault === 'type' && listedSessionMembers.some(([name]) => name === member);
}

function wrongMember(fault: Omit<WrongMember, 'key'>): WrongMember {
  const { generation, operation } = creations[fault.kind];
  return { key: `${generation} ${operation} ${fault.member} ${JSON.stringify(fault.value)}`, ...fault };
}

/** Sends each creation with one member of a wrong type or name. */
export const wrongMembers: Scenario<ProbeRecording<WrongMember>> = {
  name: 'wrong-members',
  creates: 'nothing: each listed member is sent with values that it does not take',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  run: async (context) => {
    // One breaker for each kind and fault: a target that takes any type may still judge names.
    const cells = selectedCells(wrongMemberCells(context), context.onlyCell);
    const byFault = Map.groupBy(cells, ({ kind, fault }) => `${kind} ${fault}`);
    const probes: Probed<WrongMember>[] = [];
    const unsent: WrongMember[] = [];
    for (const group of byFault.values()) {
      const sent = await probeCells(group, (cell) => sendWrong(context, cell), createCircuitBreaker());
      probes.push(...sent.probes);
      unsent.push(...sent.unsent);
    }
    return { probes, unsent };
  },
};

function sendWrong({ resources, target }: ScenarioContext, { kind, member, value }: WrongMember): Promise<Exchange> {
  const { body, ...place } = creations[kind];
  return resources.probe(kind, { ...place, method: 'POST', body: { ...body(target), [member]: value } });
}
