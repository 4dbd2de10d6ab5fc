import { describeAnswer, type Exchange, refused, succeeded } from '../core/exchange.ts';
import { isJsonObject, type JsonValue, memberAt, toText } from '../core/json.ts';
import { requestObject } from '../core/request-json.ts';
import type { CheckContext } from '../core/check.ts';
import type { Probed, ProbeRecording } from './probe-cells.ts';

/**
 * Returns every text in a JSON body, at any depth, or the whole body if it is not JSON. The contract does not state
 * which member holds the message.
 */
export function collectTexts(exchange: Exchange): string[] {
  return exchange.json === undefined ? [exchange.body] : collect(exchange.json);
}

/**
 * Returns the unparsed list after "Supported values:" in a text that matches the template; undefined when no text
 * matches.
 */
export function supportedList(exchange: Exchange, template: Template): string | undefined {
  return collectTexts(exchange)
    .map((text) => template.exec(text)?.groups?.['list'])
    .find((list) => list !== undefined);
}

/** Returns the provider name in a text that matches the template; undefined when no text matches. */
export function namedProvider(exchange: Exchange, template: Template): string | undefined {
  return collectTexts(exchange)
    .map((text) => template.exec(text)?.groups?.['provider'])
    .find((provider) => provider !== undefined);
}

/** Returns the words of a list, with any separators. */
export function splitWords(list: string): string[] {
  return list.match(/[\w-]+/g) ?? [];
}

/**
 * Returns the items of a comma-separated list. An item may stand between quotation marks, as values do in the
 * templates.
 */
export function listItems(list: string): string[] {
  return list.split(',').map((item) => item.trim().replace(/^(["'`])(.*)\1$/, '$2'));
}

/** Pattern of an error text. `exec` finds the first match in a text. */
export interface Template {
  exec(text: string): RegExpExecArray | null;
}

const supported = String.raw`\.\s+Supported\s+values:\s*(?<list>[^.\n]*)`;

// All pairs share one expression, because compiling one per pair takes longer than matching.
// oxlint-disable-next-line svc/no-dynamic-pattern -- all parts are literals of this file
const levelText = new RegExp(
  String.raw`Model\s+"(?<model>[^"]*)"\s+\(provider\s+"(?<provider>[^"]+)"\)\s+does\s+not\s+support\s+` +
    String.raw`thinking_level="(?<level>[^"]*)"${supported}`,
  'g',
);

/**
 * Returns the V2/V3 template for a pair. The text may use any of the names of the model. No name or level contains a
 * quotation mark.
 */
export function levelTemplate(names: readonly string[], level: string): Template {
  return where(levelText, (found) => names.includes(found['model'] ?? '') && found['level'] === level);
}

// oxlint-disable-next-line svc/no-dynamic-pattern -- all parts are literals of this file
const paramText = new RegExp(
  String.raw`Model\s+"(?<model>[^"]*)"\s+does\s+not\s+support\s+` +
    String.raw`modelParams\.(?<path>[^=\s]*)='(?<value>[^']*)'${supported}`,
  'g',
);

/** Returns the V4 template for a value of a path. None of the three arguments contains a quotation mark. */
export function paramTemplate(model: string, path: string, value: string): Template {
  return where(paramText, (found) => found['model'] === model && found['path'] === path && found['value'] === value);
}

/** Returns true for a response whose text matches the V2/V3 template for any model and level. */
export function matchesLevelTemplate(exchange: Exchange): boolean {
  return collectTexts(exchange).some((text) => where(levelText, () => true).exec(text) !== null);
}

/** Returns true for a response whose text matches the V4 template for any value of a model. */
export function matchesParamTemplate(exchange: Exchange, model: string): boolean {
  const template = where(paramText, (found) => found['model'] === model);
  return collectTexts(exchange).some((text) => template.exec(text) !== null);
}

/** A path and a value in a text of the V4 template, with the unparsed list that follows them. */
export interface NamedValue {
  model: string;
  path: string;
  value: string;
  list: string;
}

/** Returns every path and value that the texts of a response name in the form of the V4 template. */
export function namedValues(exchange: Exchange): NamedValue[] {
  return collectTexts(exchange).flatMap((text) =>
    [...text.matchAll(paramText)].map(({ groups }) => ({
      model: groups?.['model'] ?? '',
      path: groups?.['path'] ?? '',
      value: groups?.['value'] ?? '',
      list: groups?.['list'] ?? '',
    })),
  );
}

function where(text: RegExp, fits: (found: Readonly<Record<string, string>>) => boolean): Template {
  return {
    exec: (whole) => {
      for (const match of whole.matchAll(text)) if (fits(match.groups ?? {})) return match;
      return null;
    },
  };
}

function collect(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item) => collect(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => collect(item)) : [];
}

/** Required answer to a refused cell: exactly 422, any 4xx, or any answer that creates nothing. */
export type Refusal = '422' | '4xx' | 'not created';

interface Keyed {
  key: string;
}

/**
 * Judges that the target refused every probe as its cell requires. The total includes the cells that were not sent. If
 * at least one probe was refused, ignores answers of a gateway, an overloaded service or for missing credit
 * (`saysNothing`).
 */
export function expectRefused<C extends Keyed>(
  t: CheckContext,
  recording: ProbeRecording<C>,
  required: Refusal | ((cell: C) => Refusal),
): void {
  const refusalOf = typeof required === 'function' ? required : (): Refusal => required;
  const probes = recording.probes.filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell.key);
  t.cellTotal(recording.probes.length + recording.unsent.length);
  needsCredit(t, probes);
  const someRefused = probes.some(({ cell, exchange }) => isRefused(exchange, refusalOf(cell)));
  for (const { cell, exchange } of probes) {
    const refusal = refusalOf(cell);
    if (someRefused && saysNothing(exchange)) continue;
    t.expect(isRefused(exchange, refusal), {
      cell: cell.key,
      exchange,
      message: `${cell.key} ${describeAnswer(exchange)}; expected ${expectations[refusal]}`,
    });
  }
}

/**
 * Returns true for the status of a gateway, an overloaded service or missing credit, which does not depend on the
 * request.
 */
export function saysNothing({ status }: Exchange): boolean {
  return [402, 502, 503, 504].includes(status);
}

/**
 * Ends the check as blocked if every probe was answered 402 and no request to the same operation has succeeded. Without
 * credit, a target may answer 402 before it checks the probed value. A success shows that the account has credit.
 */
function needsCredit(t: CheckContext, probes: readonly Probed<Keyed>[]): void {
  const [first] = probes;
  if (first === undefined || probes.some(({ exchange }) => exchange.status !== 402)) return;
  const { generation, operation } = first.exchange;
  const isPaid = t.recorder
    .all()
    .some((other) => other.generation === generation && other.operation === operation && succeeded(other));
  if (!isPaid) t.blocked(`every ${generation} ${operation} answered 402: the account of the key has no credit`);
}

/**
 * Returns the probes that were answered with 422, without refusals about other members (`concernsOtherMembers`). In a
 * replay, returns only the probe of the replayed cell. Ends the check as not testable if no probe has such an answer.
 */
export function answeredWith422<C extends Keyed>(t: CheckContext, probes: readonly Probed<C>[]): Probed<C>[] {
  const answered = probes.filter(({ exchange }) => exchange.status === 422 && !concernsOtherMembers(exchange));
  if (answered.length === 0) t.notTestable('no unsupported value was answered with 422, so that there is no text');
  return answered.filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell.key);
}

/** Matches names of level and provider parameters, and words that the templates of their error texts contain. */
const ofLevels = /thinking|reasoning|effort|output_config|modelParams|level|does not support/i;

/**
 * Returns true for a 422 whose locations and texts concern only other members than the level or the provider
 * parameters. If a request violates two rules, the contract does not state which violation the refusal names.
 */
export function concernsOtherMembers(exchange: Exchange): boolean {
  const detail = exchange.status === 422 ? memberAt(exchange.json, 'detail') : undefined;
  if (!Array.isArray(detail) || detail.length === 0) return false;
  return detail.every((element) => {
    const loc = isJsonObject(element) ? element['loc'] : undefined;
    const named = Array.isArray(loc) && loc.some((part) => part !== 'body' && typeof part === 'string');
    return named && !collect(element).some((text) => ofLevels.test(text));
  });
}

/**
 * Returns a member that a 422 names in `loc` and that is not wrong: a valid member of the request, or one of `listed`
 * (further members of the operation). Returns undefined if `loc` names one of `wrong`. Also returns undefined if it
 * names no such member: a location may be the whole body, or a field name of the service.
 */
export function otherLocation(
  exchange: Exchange,
  wrong: readonly string[],
  listed: readonly string[] = [],
): string | undefined {
  const others = [...Object.keys(requestObject(exchange)), ...listed];
  const detail = exchange.status === 422 ? memberAt(exchange.json, 'detail') : undefined;
  if (!Array.isArray(detail)) return undefined;
  const named = detail
    .flatMap((element) => memberAt(element, 'loc') ?? [])
    .flatMap((part) => (typeof part === 'string' ? [plainName(part)] : []));
  if (wrong.some((member) => named.includes(plainName(member)))) return undefined;
  return others.find((member) => named.includes(plainName(member)));
}

/**
 * Returns a request member that a 422 names in an element of `detail` which does not also name the member `wrong`.
 * Returns undefined without such an element.
 */
export function strayLocation(exchange: Exchange, wrong: string): string | undefined {
  const members = Object.keys(requestObject(exchange));
  const named = errorLocations(exchange).map((loc) => loc.map((part) => plainName(toText(part))));
  const stray = named.filter((loc) => !loc.includes(plainName(wrong))).flat();
  return members.find((member) => stray.includes(plainName(member)));
}

/** Returns the parts of `loc` of each element in the `detail` of a 422; no parts for an element whose `loc` is no list. */
export function errorLocations({ status, json }: Pick<Exchange, 'status' | 'json'>): JsonValue[][] {
  const detail = status === 422 ? memberAt(json, 'detail') : undefined;
  return (Array.isArray(detail) ? detail : []).map((element) => {
    const loc = memberAt(element, 'loc');
    return Array.isArray(loc) ? loc : [];
  });
}

/** Returns a name in lower case without underscores, because a service may use snake_case in its error locations. */
function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

const expectations: Record<Refusal, string> = {
  '422': 'a refusal with 422',
  '4xx': 'a refusal (4xx)',
  'not created': 'an answer that creates nothing',
};

function isRefused(exchange: Probed<Keyed>['exchange'], refusal: Refusal): boolean {
  if (refusal === '422') return exchange.status === 422;
  if (refusal === '4xx') return refused(exchange);
  return exchange.status !== 0 && !succeeded(exchange);
}

/** Returns true if a refusal names the level as its cause, by a location or by the text of the contract. */
export function blamesLevel(exchange: Exchange): boolean {
  const detail = memberAt(exchange.json, 'detail');
  const locations = (Array.isArray(detail) ? detail : []).flatMap((element) => memberAt(element, 'loc') ?? []);
  const isNamed = locations.some((part) => /^thinking_?level$/i.test(toText(part)));
  return isNamed || collectTexts(exchange).some((text) => /does not support thinking_level/.test(text));
}
