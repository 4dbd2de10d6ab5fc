import { isJsonObject, shortJson } from '#lib/json.ts';
import { type Detail, type Location, fillTemplate } from './problems.ts';
import { type RuleBook, defaultRules } from './rule-book.ts';

/** A violation of one keyword as reported by a JSON Schema validator, in the shape of ajv's errors. */
export interface SchemaViolation {
  /** The broken keyword, for example `enum`. */
  readonly keyword: string;
  /** JSON pointer to the value that violates the keyword. */
  readonly instancePath: string;
  /** Details of the violation, named as in ajv: for example `allowedValues` for `enum`, or `limit` for `minimum`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The validator's own message. */
  readonly message?: string | undefined;
  /** The value that violates the keyword. */
  readonly data?: unknown;
  /** The schema that contains the keyword. Its member `x-expected`, if any, describes its pattern in words. */
  readonly parentSchema?: unknown;
}

const expectedLength = 600;
const notShown = '(not shown)';
const secretName = /key|token|secret|authorization|cookie|password/i;
/** Body members with secret values, which error messages never show. */
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
/**
 * Members whose values are not shown in error messages: the secret members, and members that contain a secret beside
 * other values.
 */
const holders = [...secretMembers, 'customProxy'];
/** Matches secret members in JSON, including JSON inside a text. */
// oxlint-disable-next-line svc/no-dynamic-pattern -- a list of our own names
const holderInside = new RegExp(String.raw`"(?:${holders.join('|')})\\*"\s*:`);

/**
 * Converts one violation into an element of a 422 body; `part` is `body`, `path`, `query` or `header`. For keywords
 * without a row in `errors.yaml`, the row `*` applies. The result contains no values of secret members, proxy
 * credentials and headers with secret-looking names, and no values that contain such values.
 */
export function violationDetail(part: string, violation: SchemaViolation, rules: RuleBook = defaultRules): Detail {
  const rows = rules.errors.violations;
  const wanted = patternWords(violation) === undefined ? violation.keyword : 'x-expected';
  const row = rows.find(({ keyword }) => keyword === wanted) ?? rows.find(({ keyword }) => keyword === '*');
  if (row === undefined) throw new Error(`errors: found no row for the keyword ${violation.keyword} and none for "*"`);
  const loc = violationLocation(part, violation);
  const found = isSecret(loc) ? notShown : withoutSecrets(shortJson(foundValue(violation)));
  return {
    loc,
    msg: fillTemplate(row.message, {
      expected: row.keyword === '*' ? (violation.message ?? '') : expectedText(violation),
      found,
    }),
    type: row.type,
  };
}

function violationLocation(part: string, { instancePath, params }: SchemaViolation): Location {
  const named = params['missingProperty'] ?? params['additionalProperty'];
  return [part, ...parsePointer(instancePath), ...(typeof named === 'string' ? [named] : [])];
}

/**
 * Parses a JSON pointer. Segments of digits become array indexes, because no documented object has numeric member
 * names.
 */
function parsePointer(pointer: string): Location {
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

/**
 * Returns a JSON text unchanged. Returns a placeholder instead if the text contains the name of a secret member,
 * because the value follows the name.
 */
function withoutSecrets(json: string): string {
  return holderInside.test(json) ? notShown : json;
}

function foundValue({ params, data }: SchemaViolation): unknown {
  return params['additionalProperty'] ?? data;
}

/**
 * Returns the description in words that the schema has for a violated pattern; undefined for other violations and
 * without a description.
 */
function patternWords({ params, parentSchema }: Pick<SchemaViolation, 'params' | 'parentSchema'>): string | undefined {
  const words = params['pattern'] !== undefined && isJsonObject(parentSchema) ? parentSchema['x-expected'] : undefined;
  return typeof words === 'string' ? words : undefined;
}

function expectedText({ params, parentSchema }: SchemaViolation): string {
  const words = patternWords({ params, parentSchema });
  if (words !== undefined) return words;
  const { allowedValues, allowedValue, type, format, pattern, limit } = params;
  if (Array.isArray(allowedValues)) return cut(allowedValues.map((value) => shortJson(value)).join(', '));
  if (allowedValue !== undefined) return shortJson(allowedValue);
  if (Array.isArray(type)) return type.join(' or ');
  return cut(shownValue(type ?? format ?? pattern ?? limit));
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : shortJson(value ?? '');
}

function cut(text: string): string {
  return text.length > expectedLength ? `${text.slice(0, expectedLength)}…` : text;
}
