/**
 * Requests of the fake service to the model providers: one or two for each accepted creation, according to the mapping
 * of the contract, with switchable faults. Written from the contract text, not from the tables that the checks read.
 */
import { type JsonObject, isJsonObject, objectWith, parseJson, toText } from '../core/json.ts';
import type { Generation } from '../core/target.ts';
import type { Fault } from './faults.ts';

/** A task whose model the fake service calls next. */
export interface FakeAsking {
  generation: Generation;
  /** Body of the request that has created the task. */
  body: JsonObject;
  /** True for a project with a stored provider key. */
  hasOwnKey: boolean;
}

/** URL of the fake service's providers, and its faults. */
export interface FakeProviderOptions {
  /** Base URL; undefined = no provider is called. */
  address: string | undefined;
  has: (fault: Fault) => boolean;
}

/** The keys of the fake service at its providers. */
export const fakeProviderKeys = { service: 'key-of-the-service-1111', own: 'key-of-the-caller-wxyz' } as const;

type Controls = Readonly<Record<string, JsonObject[string]>>;

/**
 * Calls the model of a task. For a Claude model in V2 and V3, calls it a second time, with the first response in the
 * history, as an agent does.
 */
export async function askFakeProvider({ address, has }: FakeProviderOptions, asking: FakeAsking): Promise<void> {
  if (address === undefined || has('provider never asked')) return;
  const asked = toText(asking.body[asking.generation === 'v2' ? 'llm' : 'model'] ?? 'gpt-5.6-luna');
  const model = wireName(asked, asking.generation, has);
  const controls = asking.generation === 'v4' ? getParams(asking, asked, has) : levelControls(asking, model, has);
  const key = chooseKey(asking, asked, has);
  const unknown: Controls = has('provider gets an unknown member') ? { svc_unknown: true } : {};
  const first = { model, goal: toText(asking.body['task']), controls: { ...controls, ...unknown }, key };
  const answer = await post(address, first, []);
  if (asking.generation !== 'v4' && model.startsWith('claude')) {
    const content = isJsonObject(answer) && Array.isArray(answer['content']) ? answer['content'] : [];
    const replays = asking.generation === 'v3' || has('V2 replays thinking');
    const kept = content.filter((block) => replays || !isJsonObject(block) || block['type'] !== 'thinking');
    await post(address, first, [
      { role: 'assistant', content: kept },
      { role: 'user', content: 'Go on.' },
    ]);
  }
}

const aliases: Readonly<Record<string, string>> = {
  'svc-mini': 'gemini-3-flash',
  'svc-max': 'claude-sonnet-5',
  'claude-sonnet-4.6': 'claude-sonnet-5',
  'svc-ultra': 'claude-opus-4.6',
};

function wireName(asked: string, generation: Generation, has: Has): string {
  if (generation === 'v3' && has('alias reaches the provider') && asked === 'claude-sonnet-4.6')
    return 'claude-sonnet-4-6';
  const plain = aliases[asked] ?? asked;
  const legacy = plain.startsWith('gemini-3-pro') && !has('legacy name not routed');
  const routed = legacy ? plain.replace('gemini-3-pro', 'gemini-3.1-pro') : plain;
  return routed.startsWith('claude') ? routed.replaceAll('.', '-') : routed;
}

type Has = FakeProviderOptions['has'];

interface Levelled {
  generation: Generation;
  model: string;
  level: string;
}

function levelControls({ generation, body }: FakeAsking, model: string, has: Has): Controls {
  const level = toText(body['thinkingLevel'] ?? '');
  if (level === '') return body['thinking'] === true && has('switch chooses a depth') ? toEffort(model, 'high') : {};
  const [, controls] = byName.find(([start]) => model.startsWith(start)) ?? [];
  return controls?.({ generation, model, level }, has) ?? {};
}

/**
 * For each prefix of model names, the function that maps a thinking level to members of the provider request. The first
 * match counts.
 */
const byName: readonly (readonly [string, (levelled: Levelled, has: Has) => Controls])[] = [
  ['gemini-2.5', ({ level }, has) => geminiControl('thinkingBudget', getBudget(level, has('half gemini budget')))],
  ['gemini-3.1', ({ level }, has) => geminiControl('thinkingLevel', has('pro level is medium') ? 'medium' : level)],
  ['gemini', ({ level }, has) => geminiControl('thinkingLevel', flashLevel(level, has))],
  ['claude-haiku', ({ level }, has) => fixedBudget(level, has)],
  ['claude', ({ generation, level }, has) => adaptiveThinking(generation, level, has)],
  ['glm', ({ level }, has) => ({ 'thinking.type': isSwitchedOn(level, has) ? 'enabled' : 'disabled' })],
  ['', ({ level }, has) => ({ 'reasoning.effort': level === 'disabled' ? noEffort(has) : level })],
];

function geminiControl(member: string, value: string | number): Controls {
  return { [`generationConfig.thinkingConfig.${member}`]: value };
}

function flashLevel(level: string, has: Has): string {
  if (level !== 'disabled') return level;
  return has('disabled becomes low') ? 'low' : 'minimal';
}

function isSwitchedOn(level: string, has: Has): boolean {
  return level !== 'disabled' || has('glm switch stays on');
}

function noEffort(has: Has): string {
  return has('disabled becomes minimal effort') ? 'minimal' : 'none';
}

function getBudget(level: string, isHalf: boolean): number {
  const budget = { disabled: 0, low: 1024, medium: 4096, high: 8192 }[level] ?? 0;
  return isHalf ? budget / 2 : budget;
}

function fixedBudget(level: string, has: Has): Controls {
  if (level === 'disabled') return { 'thinking.type': 'disabled' };
  const budget = has('double claude budget') ? 2 * getBudget(level, false) : getBudget(level, false);
  return { 'thinking.type': 'enabled', 'thinking.budget_tokens': budget };
}

function adaptiveThinking(generation: Generation, level: string, has: Has): Controls {
  if (level === 'disabled')
    return has('disabled keeps thinking') ? { 'thinking.type': 'adaptive' } : { 'thinking.type': 'disabled' };
  const effort = has('V3 effort is dropped') && generation === 'v3' ? {} : { 'output_config.effort': level };
  return generation === 'v3' ? { 'thinking.type': 'adaptive', ...effort } : effort;
}

function toEffort(model: string, effort: string): Controls {
  if (model.startsWith('claude')) return { 'output_config.effort': effort };
  return model.startsWith('gpt')
    ? { 'reasoning.effort': effort }
    : { 'generationConfig.thinkingConfig.thinkingLevel': effort };
}

function getParams({ body, hasOwnKey }: FakeAsking, asked: string, has: Has): Controls {
  const params = body['modelParams'];
  const standard: Controls = asked === 'gpt-5.6-luna' && !has('no V4 default') ? { 'reasoning.effort': 'xhigh' } : {};
  if (!isJsonObject(params)) return standard;
  if (Object.keys(params).length === 0) return has('empty params get the default') ? standard : {};
  if (has('params not forwarded') || (hasOwnKey && has('params dropped with an own key'))) return {};
  const { thinkingConfig, ...rest } = params;
  return thinkingConfig === undefined ? flat(rest) : flat({ generationConfig: { thinkingConfig } });
}

function flat(value: JsonObject, at = ''): Controls {
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]) =>
      isJsonObject(inner) ? flat(inner, `${at}${name}.`) : { [at + name]: inner },
    ),
  );
}

function chooseKey({ generation, body, hasOwnKey }: FakeAsking, asked: string, has: Has): string {
  const { service, own } = fakeProviderKeys;
  // Only one provider has a stored key.
  const matches = hasOwnKey && asked.startsWith('gemini');
  if (generation === 'v2') return has('V2 level takes the own key') && 'thinkingLevel' in body ? own : service;
  if (generation === 'v4') return matches && usesStoredKey(body, has) ? own : service;
  return matches && body['useOwnKey'] === true && !has('own key not used') ? own : service;
}

function usesStoredKey(body: JsonObject, has: Has): boolean {
  return !has('V4 own key not used') && !(has('V4 flag against the own key') && body['useOwnKey'] === false);
}

interface FirstRequest {
  model: string;
  goal: string;
  controls: Controls;
  key: string;
}

async function post(
  address: string,
  request: FirstRequest,
  more: JsonObject[],
): Promise<JsonObject[string] | undefined> {
  const { path, headers, body } = buildRequest(request, more);
  const whole = Object.entries(request.controls).reduce(
    (made, [place, value]) => merged(made, objectWith(place, value)),
    body,
  );
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(whole),
  });
  return parseJson(await response.text());
}

interface Posted {
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
}

function buildRequest({ model, goal, key }: FirstRequest, more: JsonObject[]): Posted {
  const tool = { name: 'finish', description: 'Ends the task.' };
  const schema = { type: 'object', properties: { output: { type: 'string' } }, required: ['output'] };
  if (model.startsWith('gemini'))
    return {
      path: `/v1beta/models/${model}:generateContent`,
      headers: { 'x-goog-api-key': key },
      body: {
        contents: [{ role: 'user', parts: [{ text: goal }] }],
        tools: [{ functionDeclarations: [{ ...tool, parameters: schema }] }],
      },
    };
  if (model.startsWith('claude'))
    return {
      path: '/v1/messages',
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      body: {
        model,
        max_tokens: 20_000,
        messages: [{ role: 'user', content: goal }, ...more],
        tools: [{ ...tool, input_schema: schema }],
      },
    };
  const authorization = `Bearer ${key}`;
  if (model.startsWith('gpt') || model.startsWith('o'))
    return {
      path: '/v1/responses',
      headers: { authorization },
      body: { model, input: goal, tools: [{ type: 'function', ...tool, parameters: schema, strict: false }] },
    };
  return {
    path: '/v1/chat/completions',
    headers: { authorization },
    body: {
      model,
      messages: [{ role: 'user', content: goal }],
      tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
    },
  };
}

function merged(left: JsonObject, right: JsonObject): JsonObject {
  const result = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const before = result[name];
    result[name] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return result;
}
