import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';

/** Limits of output schemas. */
export interface SchemaBounds {
  /** Maximum number of characters of the JSON text of the schema. */
  readonly characters: number;
  readonly depth: number;
  readonly subschemas: number;
  /** Maximum number of members of all `oneOf`, `anyOf` and `allOf` together. */
  readonly branches: number;
  /** Maximum number of subschemas, where each local reference counts as all subschemas of its target. */
  readonly expansion: number;
  /** Maximum number of members of all `enum` together. */
  readonly enumMembers: number;
  /** Maximum number of characters of a single `pattern`. */
  readonly pattern: number;
}

/** Returns the limits of spec/rules/limits.yaml. */
export function schemaBounds(rules: RuleBook): SchemaBounds {
  return {
    characters: getLimit(rules, 'outputSchemaCharacters'),
    depth: getLimit(rules, 'outputSchemaDepth'),
    subschemas: getLimit(rules, 'outputSchemaSubschemas'),
    branches: getLimit(rules, 'outputSchemaBranches'),
    expansion: getLimit(rules, 'outputSchemaExpansion'),
    enumMembers: getLimit(rules, 'outputSchemaEnum'),
    pattern: getLimit(rules, 'outputSchemaPattern'),
  };
}

/**
 * Returns why an untrusted schema is rejected, or null when it is within limits and refers only to itself. Takes linear
 * time.
 */
export function checkSchemaBounds(schema: JsonObject, bounds: SchemaBounds): string | null {
  if (isDeeperThan(schema, bounds.depth)) return `the output schema is nested deeper than ${bounds.depth} levels`;
  if (JSON.stringify(schema).length > bounds.characters)
    return `the output schema has more than ${bounds.characters} characters`;
  const counted = count(schema);
  const excess =
    over(counted.branches, bounds.branches, 'branches of oneOf, anyOf and allOf') ??
    over(counted.subschemas, bounds.subschemas, 'subschemas') ??
    over(counted.enumMembers, bounds.enumMembers, 'members of enum') ??
    over(counted.longestPattern, bounds.pattern, 'characters in a pattern');
  if (excess !== null) return excess;
  if (counted.hasRemoteReference) return 'the output schema refers to another document';
  return over(getExpansion(schema), bounds.expansion, 'subschemas with its references replaced by their targets');
}

function over(found: number, max: number, what: string): string | null {
  const shown = Number.isSafeInteger(found) ? String(found) : 'countless';
  return found > max ? `the output schema has ${shown} ${what}, at most ${max} are allowed` : null;
}

/**
 * Returns whether a value has more than `levels` levels of objects and arrays. Stops at this limit, so that no input
 * exhausts the stack.
 */
function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/** Keywords whose members are named schemas. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const branches: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf']);

interface Counted {
  subschemas: number;
  branches: number;
  enumMembers: number;
  longestPattern: number;
  hasRemoteReference: boolean;
}

/**
 * Counts subschemas and limited keywords in the whole document, because a reference can turn any part of the document
 * into a schema.
 */
function count(schema: JsonObject): Counted {
  const counted = { subschemas: 0, branches: 0, enumMembers: 0, longestPattern: 0, hasRemoteReference: false };
  countIn(schema, counted);
  return counted;
}

function countIn(value: JsonValue, counted: Counted): void {
  if (Array.isArray(value)) for (const member of value) countIn(member, counted);
  if (!isJsonObject(value)) return;
  counted.subschemas += 1;
  for (const [keyword, member] of Object.entries(value)) {
    note(keyword, member, counted);
    countIn(member, counted);
    if (named.has(keyword) && isJsonObject(member)) counted.subschemas -= 1;
  }
}

function note(keyword: string, member: JsonValue, counted: Counted): void {
  for (const { length } of getPatterns(keyword, member))
    counted.longestPattern = Math.max(counted.longestPattern, length);
  if (Array.isArray(member) && branches.has(keyword)) counted.branches += member.length;
  if (Array.isArray(member) && keyword === 'enum') counted.enumMembers += member.length;
  if (isReference(keyword) && typeof member === 'string' && !member.startsWith('#')) counted.hasRemoteReference = true;
}

function getPatterns(keyword: string, member: JsonValue): readonly string[] {
  if (keyword === 'pattern' && typeof member === 'string') return [member];
  return keyword === 'patternProperties' && isJsonObject(member) ? Object.keys(member) : [];
}

function isReference(keyword: string): boolean {
  return /^\$(dynamic|recursive)?ref$/i.test(keyword);
}

/**
 * Returns the number of subschemas that a value may be checked against; definitions count where they are referenced.
 */
function getExpansion(root: JsonObject): number {
  const known = new Map<JsonObject, number>();
  const expand = (value: JsonValue | undefined): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, member) => sum + expand(member), 0);
    if (!isJsonObject(value)) return 0;
    const found = known.get(value);
    if (found !== undefined) return found;
    // A reference to an enclosing schema counts as 0, because the depth of the value limits it.
    known.set(value, 0);
    let size = 1;
    for (const [keyword, member] of Object.entries(value)) {
      if (keyword === '$defs' || keyword === 'definitions') continue;
      size += isReference(keyword) && typeof member === 'string' ? expand(getTarget(root, member)) : expand(member);
    }
    known.set(value, size);
    return size;
  };
  return expand(root);
}

/**
 * Returns the part of the document that a local JSON pointer names; undefined if there is no such part. Returns the
 * root for an anchor: only the time and memory limits of the worker bound the expansion of anchors.
 */
function getTarget(root: JsonObject, reference: string): JsonValue | undefined {
  const steps = reference.slice(1).split('/').slice(1).map(unescapeStep);
  return steps.reduce<JsonValue | undefined>((value, step) => {
    if (value === null || typeof value !== 'object') return undefined;
    if (Array.isArray(value)) return value[Number(step)];
    return Object.hasOwn(value, step) ? value[step] : undefined;
  }, root);
}

function unescapeStep(step: string): string {
  const decoded = /%(?![\da-f]{2})/i.test(step) ? step : safeDecode(step);
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

function safeDecode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) return step;
    throw error;
  }
}
