import { type JsonObject, type JsonValue, isJsonObject, toText } from '../core/json.ts';
import { type StubAnswer, answerCall, jsonAnswer } from './answer-call.ts';
import type { Script } from './choose-saying.ts';
import { memberViolations } from './member-violations.ts';
import type { ProviderCall, WireFamily } from '../core/provider-call.ts';
import { type Arrived, readProviderKey, keyWord } from './read-request.ts';
import { providerRequests } from '#generated/rules.ts';
import { type Controls, readControls } from './request-controls.ts';
import { spelledAt } from './spelled.ts';
import type { Generation } from '../core/target.ts';

/** Options that determine the responses of a stub. */
export interface StubSettings {
  script: Script;
  /** Last characters of the project's own provider key, by provider. */
  ownKeyEndings: Readonly<Record<string, string>>;
}

/** Creates the request handler of a stub. The handler returns its answer synchronously and logs each model call. */
export function createStubService(manner: StubSettings): (arrived: Arrived) => StubAnswer {
  const log = createCallLog();
  return (arrived) => {
    if (arrived.path === callPath) return told(log, arrived);
    const recognised = arrived.method === 'POST' ? recognise(arrived.path, arrived.body) : undefined;
    if (recognised !== undefined) return answered(arrived, recognised, { log, manner });
    return helped(arrived) ?? jsonAnswer(404, { error: { message: `the stub serves no ${arrived.path}` } });
  };
}

function told(log: CallLog, { query }: Arrived): StubAnswer {
  const calls = log.of(query.get('mark') ?? '').map((call): JsonObject => ({ ...call }));
  return jsonAnswer(200, { calls, callsInAll: log.count() });
}

function answered(
  arrived: Arrived,
  { family, model, streams }: Recognised,
  { log, manner }: { log: CallLog; manner: StubSettings },
): StubAnswer {
  const { body, path, text, query } = arrived;
  const key = readProviderKey(arrived);
  const short = shorten(body);
  const call: ProviderCall = {
    index: log.next(),
    family,
    path,
    model,
    key: keyWord(key),
    ownKeyOf: findKeyOwner(key, manner.ownKeyEndings),
    body: isJsonObject(short) ? short : {},
    breaches: violationsIn(arrived, { family, model, streams }),
  };
  const marks = marksIn(text);
  log.add(call, marks);
  const events = family !== 'google' || query.get('alt') === 'sse' ? 'events' : 'list';
  const said = ['Done.', ...marks.slice(-1)].join(' ');
  return answerCall(call, { script: manner.script, text: said, form: streams ? events : 'whole', body });
}

function violationsIn({ body, isJson, headers }: Arrived, { family, model }: Recognised): string[] {
  if (!isJson) return ['the body is no JSON object'];
  const betas = String(headers['anthropic-beta'] ?? '');
  return [
    ...memberViolations(family, body, betas !== ''),
    ...impossiblePairs({ family, model: model.toLowerCase(), body, betas }),
  ];
}

function findKeyOwner(key: string, endings: StubSettings['ownKeyEndings']): string | null {
  return Object.entries(endings).find(([, ending]) => key.endsWith(ending))?.[0] ?? null;
}

// Answers auxiliary requests of agents: the token count of a prompt, and the list of models.
function helped({ method, path }: Arrived): StubAnswer | undefined {
  if (method === 'POST' && path.endsWith('/count_tokens')) return jsonAnswer(200, { input_tokens: 12 });
  if (method === 'POST' && path.endsWith(':countTokens')) return jsonAnswer(200, { totalTokens: 12 });
  if (method === 'GET' && path.endsWith('/models')) return jsonAnswer(200, { object: 'list', data: [], models: [] });
  return undefined;
}

/** Maximum length of a text that is logged unchanged, in characters: tasks fit, pages and pictures do not. */
const textMax = 600;

/** Returns a copy with long texts shortened, so that recordings stay readable. */
function shorten(value: JsonValue): JsonValue {
  if (typeof value === 'string')
    return value.length <= textMax ? value : `${value.slice(0, textMax)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.map((item) => shorten(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item)]));
}

/** Provider family, model and streaming flag of a model call. */
interface Recognised {
  family: WireFamily;
  /** Model name in the path, otherwise in the body. */
  model: string;
  /** True when the request asks for a streamed response. */
  streams: boolean;
}

/**
 * Returns the provider API, model and streaming flag of a request. Only the end of the path is matched, because
 * operators choose the beginning; undefined if no API matches.
 */
function recognise(path: string, body: JsonObject): Recognised | undefined {
  for (const { family, path: pattern } of providerRequests.families) {
    // oxlint-disable-next-line svc/no-dynamic-pattern -- the paths of spec/rules/provider-requests.yaml
    const match = new RegExp(pattern).exec(path);
    if (match === null) continue;
    const [, named = '', action = ''] = match;
    const streams = body['stream'] === true || action.startsWith('stream');
    return { family, model: named === '' ? toText(body['model']) : decodeURIComponent(named), streams };
  }
  return undefined;
}

/** Log of the calls that reached a stub, by the markers that they contain. */
interface CallLog {
  /** Returns the index of the next call, from 0, and increments the index. */
  next(): number;
  add(call: ProviderCall, marks: readonly string[]): void;
  /** Returns the logged calls with a marker, at most the first `keptMax`, in order. */
  of(mark: string): readonly ProviderCall[];
  /** Returns the number of all calls, including calls without a marker. */
  count(): number;
}

/** Maximum number of logged calls per marker: further calls of an agent in a loop show nothing new. */
const keptMax = 12;

/** Creates an empty log. */
function createCallLog(): CallLog {
  const byMark = new Map<string, ProviderCall[]>();
  let count = 0;
  return {
    next: () => {
      count += 1;
      return count - 1;
    },
    add: (call, marks) => {
      for (const mark of marks) {
        const calls = byMark.get(mark) ?? [];
        if (calls.length < keptMax) byMark.set(mark, [...calls, call]);
      }
    },
    of: (mark) => byMark.get(mark) ?? [],
    count: () => count,
  };
}

/** Properties of a request by which the stub decides whether the provider would reject its combination of settings. */
interface Asked {
  family: WireFamily;
  /** Model name in lower case. */
  model: string;
  body: JsonObject;
  /** Requested beta features, as one text. */
  betas: string;
}

interface Pair {
  family: WireFamily;
  /** Error message for a request that violates the rule. */
  says: string;
  breaks: (asked: Asked, controls: Controls) => boolean;
}

/** Claude models that accept only adaptive thinking. */
const adaptiveOnly = /claude-(opus-4-[78]|opus-5|sonnet-5|fable-5)/;
/** Claude models without adaptive thinking. */
const fixedOnly = /claude-(haiku-4-5|sonnet-4-5|opus-4-5|opus-4-1|sonnet-4-2|opus-4-2|3-)/;
/** Models of the responses family that always reason. */
const alwaysReasons = /(^|\/)(o3|o4|gpt-5($|-))/;

/** Returns whether a request to Claude enables thinking, with a budget or adaptively. */
const thinks = ({ thinking }: Controls): boolean => thinking === 'enabled' || thinking === 'adaptive';

/**
 * Combinations of settings, or of a setting and a model, that a provider rejects according to its documents on
 * reasoning.
 */
const pairs: readonly Pair[] = [
  {
    family: 'messages',
    says: 'thinking.budget_tokens must be at least 1024 where thinking is enabled',
    breaks: (_asked, { thinking, budget }) => thinking === 'enabled' && (budget === undefined || budget < 1024),
  },
  {
    family: 'messages',
    says: 'max_tokens must be greater than thinking.budget_tokens',
    breaks: ({ body, betas }, { budget }) =>
      budget !== undefined && !betas.includes('interleaved-thinking') && Number(body['max_tokens']) <= budget,
  },
  {
    family: 'messages',
    says: 'thinking.budget_tokens goes with thinking that is enabled only',
    breaks: (_asked, { thinking, budget }) => budget !== undefined && thinking !== 'enabled',
  },
  {
    family: 'messages',
    says: 'temperature may only be 1 while the model thinks',
    breaks: ({ body }, controls) =>
      thinks(controls) && typeof body['temperature'] === 'number' && body['temperature'] !== 1,
  },
  {
    family: 'messages',
    says: 'no tool can be forced while the model thinks',
    breaks: ({ body }, controls) =>
      thinks(controls) && ['any', 'tool'].includes(toText(spelledAt(body, 'tool_choice.type'))),
  },
  {
    family: 'messages',
    says: 'this model takes adaptive thinking and no fixed budget',
    breaks: ({ model }, { thinking }) => thinking === 'enabled' && adaptiveOnly.test(model),
  },
  {
    family: 'messages',
    says: 'this model takes a fixed budget and no adaptive thinking',
    breaks: ({ model }, { thinking }) => thinking === 'adaptive' && fixedOnly.test(model),
  },
  {
    family: 'messages',
    says: 'this model takes no effort',
    breaks: ({ model, betas }, { effort }) => effort !== undefined && betas === '' && fixedOnly.test(model),
  },
  {
    family: 'google',
    says: 'thinkingLevel and thinkingBudget exclude each other',
    breaks: (_asked, { level, budget }) => level !== undefined && budget !== undefined,
  },
  {
    family: 'google',
    says: 'this model takes a thinkingBudget and no thinkingLevel',
    breaks: ({ model }, { level }) => level !== undefined && model.includes('gemini-2.5'),
  },
  {
    family: 'google',
    says: 'this model works in thinking mode only: its budget cannot be 0',
    breaks: ({ model }, { budget }) => budget === 0 && model.includes('gemini-2.5-pro'),
  },
  {
    family: 'google',
    says: 'this model takes no thinkingLevel minimal',
    breaks: ({ model }, { level }) => level === 'minimal' && model.includes('gemini-3.1-pro'),
  },
  {
    family: 'responses',
    says: 'this model cannot do without reasoning',
    breaks: ({ model }, { effort }) => effort === 'none' && alwaysReasons.test(model),
  },
  {
    family: 'responses',
    says: 'a model that reasons takes no temperature',
    breaks: ({ body }, { effort }) =>
      effort !== undefined && effort !== 'none' && typeof body['temperature'] === 'number' && body['temperature'] !== 1,
  },
];

/** Returns an error message for each combination of settings and model that the provider rejects. */
function impossiblePairs(asked: Asked): string[] {
  const controls = readControls(asked.body);
  return pairs
    .filter(({ family, breaks }) => family === asked.family && breaks(asked, controls))
    .map(({ says }) => says);
}

/** Path at which the suite reads the logged model calls. No provider serves this path. */
export const callPath = '/svc-check/calls';

/**
 * Returns the marker for the text of a task. The stub finds the model calls of the task by this marker. `index` is
 * below 10000.
 */
export function markFor(stamp: string, generation: Generation, index: number): string {
  return `svc-call-${stamp}-${generation}-${String(index).padStart(4, '0')}`;
}

const marks = /svc-call-[a-z0-9]+-v[234]-\d{4}/g;

/** Returns the distinct markers in a text. */
function marksIn(text: string): string[] {
  return [...new Set(text.match(marks))];
}
