import { isJsonObject, shortJson } from '#lib/json.ts';
import { type Detail, type Location, fillTemplate } from './problems.ts';
import { type RuleBook, defaultRules } from './rule-book.ts';

/** What a JSON Schema validator reports of one broken keyword; the shape is the one of ajv's errors. */
export interface SchemaViolation {
  /** The broken keyword, for example `enum`. */
  readonly keyword: string;
  /** JSON pointer to the value. */
  readonly instancePath: string;
  /** What the keyword asked for, by the keyword's own names. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The validator's own words; used only for a keyword that spec/rules/errors.yaml has no row for. */
  readonly message?: string | undefined;
  /** The value that was found. */
  readonly data?: unknown;
  /** The schema that holds the keyword; its `x-expected` names in words what a pattern asks for. */
  readonly parentSchema?: unknown;
}

const expectedLength = 600;
const notShown = '(not shown)';
const secretName = /key|token|secret|authorization|cookie|password/i;
/** Members of bodies that hold values which nobody may see, however wrong they are. */
export const secretMembers: readonly string[] = [
  'secrets',
  'sensitiveData',
  'secretBindings',
  'username',
  'password',
  'host',
  'key',
  'link',
];
/** A member that holds them among others: what stands in its own place, or around it, is not shown either. */
const holders = [...secretMembers, 'customProxy'];
/** Such a member in the JSON of whatever is around it, also of JSON in a text. */
// oxlint-disable-next-line svc/no-dynamic-pattern -- a list of our own names
const holderInside = new RegExp(String.raw`"(?:${holders.join('|')})\\*"\s*:`);

/**
 * One broken keyword as an element of a 422 body; `part` is `body`, `path`, `query` or `header`. The row `*` of the book
 * stands for every keyword without a row of its own. A header whose name looks like a secret, and members that hold secrets or
 * the credentials of a proxy, are never echoed, nor is what they are part of.
 */
export function violationDetail(part: string, violation: SchemaViolation, rules: RuleBook = defaultRules): Detail {
  const rows = rules.errors.violations;
  const wanted = wordsOf(violation) === undefined ? violation.keyword : 'x-expected';
  const row = rows.find(({ keyword }) => keyword === wanted) ?? rows.find(({ keyword }) => keyword === '*');
  if (row === undefined) throw new Error(`errors: found no row for the keyword ${violation.keyword} and none for "*"`);
  const loc = locationOf(part, violation);
  const found = isSecret(loc) ? notShown : withoutSecrets(shortJson(foundOf(violation)));
  return {
    loc,
    msg: fillTemplate(row.message, {
      expected: row.keyword === '*' ? (violation.message ?? '') : expectedOf(violation),
      found,
    }),
    type: row.type,
  };
}

function locationOf(part: string, { instancePath, params }: SchemaViolation): Location {
  const named = params['missingProperty'] ?? params['additionalProperty'];
  return [part, ...segmentsOf(instancePath), ...(typeof named === 'string' ? [named] : [])];
}

/** A segment of digits is an array index: no documented object has members with such names. */
function segmentsOf(pointer: string): Location {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) =>
    /^\d+$/.test(segment) ? Number(segment) : segment.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
}

function isSecret(loc: Location): boolean {
  if (loc[0] === 'body') {
    const names = loc.map(String);
    return names.some((name) => secretMembers.includes(name)) || holders.includes(names.at(-1) ?? '');
  }
  return loc[0] === 'header' && secretName.test(loc.slice(1).join(' '));
}

/** The name of a member stands before its value: where the JSON that is shown holds none of those names, it holds none of their values. */
function withoutSecrets(json: string): string {
  return holderInside.test(json) ? notShown : json;
}

function foundOf({ params, data }: SchemaViolation): unknown {
  return params['additionalProperty'] ?? data;
}

/** What a pattern asks for in words, where its schema says so. */
function wordsOf({ params, parentSchema }: Pick<SchemaViolation, 'params' | 'parentSchema'>): string | undefined {
  const words = params['pattern'] !== undefined && isJsonObject(parentSchema) ? parentSchema['x-expected'] : undefined;
  return typeof words === 'string' ? words : undefined;
}

function expectedOf({ params, parentSchema }: SchemaViolation): string {
  const words = wordsOf({ params, parentSchema });
  if (words !== undefined) return words;
  const { allowedValues, allowedValue, type, format, pattern, limit } = params;
  if (Array.isArray(allowedValues)) return cut(allowedValues.map((value) => shortJson(value)).join(', '));
  if (allowedValue !== undefined) return shortJson(allowedValue);
  if (Array.isArray(type)) return type.join(' or ');
  return cut(wordOf(type ?? format ?? pattern ?? limit));
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : shortJson(value ?? '');
}

function cut(text: string): string {
  return text.length > expectedLength ? `${text.slice(0, expectedLength)}…` : text;
}
