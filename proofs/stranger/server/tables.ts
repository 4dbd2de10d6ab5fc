/**
 * Models, reasoning controls and countries, typed by hand from the contract.
 * This server must not read the project's own tables: an error there would then be invisible.
 */

/** A provider-neutral reasoning depth of V2 and V3. */
export type Level = 'disabled' | 'low' | 'medium' | 'high';

/** All levels, in the order of the contract's enumeration. */
export const levels: readonly Level[] = ['disabled', 'low', 'medium', 'high'];

const all = levels;
const noDisabled: readonly Level[] = ['low', 'medium', 'high'];
const ends: readonly Level[] = ['low', 'high'];
const toggle: readonly Level[] = ['disabled', 'high'];
const off: readonly Level[] = ['disabled'];
const none: readonly Level[] = [];

const v3Groups: readonly (readonly [readonly Level[], string])[] = [
  [all, 'svc-mini gemini-3-flash gemini-3.5-flash'],
  [all, 'svc-max svc-ultra claude-sonnet-4.6 claude-opus-4.6 claude-opus-4.7 claude-sonnet-5 claude-opus-4.8'],
  [all, 'claude-haiku-4.5 gpt-5.2 gpt-5.4-mini gpt-5.5 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna'],
  [noDisabled, 'gpt-5-mini'],
  [ends, 'gemini-3-pro gemini-3.1-pro'],
  [toggle, 'glm-5.2'],
  [none, 'minimax-m3'],
];

const v2Groups: readonly (readonly [readonly Level[], string])[] = [
  [all, 'svc-llm svc-2.0 gemini-2.5-flash gemini-3-flash-preview gemini-3.5-flash'],
  [all, 'gemini-flash-latest gemini-flash-lite-latest gpt-5.5 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna'],
  [all, 'claude-sonnet-5 claude-opus-4-7 claude-opus-4-8 claude-opus-5'],
  [noDisabled, 'gemini-2.5-pro o3 o4-mini'],
  [ends, 'gemini-3-pro-preview gemini-3.1-pro-preview'],
  [off, 'claude-sonnet-4-20250514 claude-sonnet-4-5-20250929 claude-opus-4-5-20251101'],
  [none, 'gpt-4.1 gpt-4.1-mini glm-5.2 minimax-m3'],
  [none, 'llama-4-maverick-17b-128e-instruct claude-3-7-sonnet-20250219'],
];

/** Levels of each V3 model. */
export const v3Levels: ReadonlyMap<string, readonly Level[]> = spread(v3Groups);

/** Levels of each V2 model. */
export const v2Levels: ReadonlyMap<string, readonly Level[]> = spread(v2Groups);

/** V3 models that require the caller's own provider key. */
export const ownKeyModels: ReadonlySet<string> = new Set(['gemini-3.5-flash', 'gpt-5.2', 'gpt-5-mini']);

const aliases: ReadonlyMap<string, string> = new Map([
  ['svc-mini', 'gemini-3-flash'],
  ['svc-max', 'claude-sonnet-5'],
  ['claude-sonnet-4.6', 'claude-sonnet-5'],
  ['svc-ultra', 'claude-opus-4.6'],
]);

/** Accepted values by path below `modelParams`. */
export type Controls = Readonly<Record<string, readonly string[]>>;

const effort55: Controls = { 'reasoning.effort': ['none', 'low', 'medium', 'high', 'xhigh'] };
const effort56: Controls = { 'reasoning.effort': ['none', 'low', 'medium', 'high', 'xhigh', 'max'] };
const claude: Controls = {
  'output_config.effort': ['low', 'medium', 'high', 'xhigh', 'max'],
  'thinking.type': ['adaptive', 'disabled'],
  'thinking.display': ['omitted', 'summarized'],
};
const flash: Controls = { 'thinkingConfig.thinkingLevel': ['minimal', 'low', 'medium', 'high'] };
const pro: Controls = { 'thinkingConfig.thinkingLevel': ['low', 'medium', 'high'] };
const nothing: Controls = {};

const v4Groups: readonly (readonly [Controls, string])[] = [
  [effort55, 'gpt-5.5'],
  [effort56, 'gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna'],
  [claude, 'claude-opus-4.7 claude-opus-4.8 claude-opus-5 claude-sonnet-5'],
  [flash, 'gemini-3-flash gemini-3.5-flash gemini-3.6-flash'],
  [pro, 'gemini-3.1-pro'],
  [nothing, 'glm-5.2 grok-4.5 kimi-k3 minimax-m3 claude-fable-5'],
];

/** Reasoning controls of each V4 model. */
export const v4Controls: ReadonlyMap<string, Controls> = spread(v4Groups);

const providers: readonly (readonly [RegExp, string])[] = [
  [/^(gemini|svc-mini|svc-llm|svc-2)/, 'google'],
  [/^(claude|svc-max|svc-ultra)/, 'anthropic'],
  [/^(gpt|o3|o4)/, 'openai'],
  [/^glm/, 'zai'],
  [/^minimax/, 'minimax'],
  [/^llama/, 'meta'],
  [/^grok/, 'xai'],
];

/** Returns the provider that serves a model; `moonshot` for a name without the prefix of another provider. */
export function providerFor(model: string): string {
  return providers.find(([pattern]) => pattern.test(model))?.[1] ?? 'moonshot';
}

/** Returns the V3 model that an alias refers to; any other name unchanged. */
export function resolveAlias(name: string): string {
  return aliases.get(name) ?? name;
}

/** Country codes of managed proxies. */
export const countries: ReadonlySet<string> = new Set(
  [
    'ad ae af ag ai al am an ao aq ar as at au aw az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw',
    'by bz ca cc cd cf cg ch ck cl cm co cr cs cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj',
    'fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in iq ir',
    'is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh',
    'mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk',
    'pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz',
    'tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws xk ye yt za',
    'zm zw',
  ]
    .join(' ')
    .split(' '),
);

function spread<T>(groups: readonly (readonly [T, string])[]): Map<string, T> {
  return new Map(groups.flatMap(([value, names]) => names.split(' ').map((name) => [name, value] as const)));
}
