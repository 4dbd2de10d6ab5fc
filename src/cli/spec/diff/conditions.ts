import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { flatten, isIn } from './alternatives.ts';

/** A conditional schema of an object. */
export interface Condition {
  /** Name of the member whose value decides whether the condition applies, for example `model`. */
  readonly member: string;
  /** Value of the member; undefined when the condition requires its absence. */
  readonly value: JsonValue | undefined;
  /** Further conditions on the object, in order, for example `sessionId is null or absent`; empty without any. */
  readonly besides: string;
  /** The schema that the object must satisfy under the condition. */
  readonly asks: JsonObject;
}

/** The conditional schemas in a schema. */
export interface Conditions {
  /** Conditional schemas by their condition as text. Schemas with the same condition are merged. */
  readonly byLabel: ReadonlyMap<string, Condition>;
  /** Conditional schemas of an unsupported form. */
  readonly unread: JsonValue[];
}

/**
 * Reads the if/then schemas in the `allOf` of a flattened schema. In the supported form, `if` enumerates the values of
 * one member.
 */
export function readConditions(schema: JsonObject): Conditions {
  const byLabel = new Map<string, Condition>();
  const unread: JsonValue[] = [];
  for (const rule of Array.isArray(schema['allOf']) ? schema['allOf'] : []) {
    const conditions = readRule(rule);
    if (conditions === null) unread.push(rule);
    for (const condition of conditions ?? []) {
      const known = byLabel.get(formatConditions([condition]));
      const asks = known === undefined ? condition.asks : flatten({ allOf: [known.asks, condition.asks] });
      byLabel.set(formatConditions([condition]), { ...condition, asks });
    }
  }
  return { byLabel, unread };
}

/**
 * Formats conditions that differ only in the value of one member, such as `model is "gpt-5.5", "gpt-5.6" or absent`,
 * followed by their further conditions.
 */
export function formatConditions(conditions: readonly Condition[]): string {
  const [first] = conditions;
  const values = conditions.map(({ value }) => (value === undefined ? 'absent' : JSON.stringify(value)));
  const listed = values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
  return [`${first?.member ?? ''} is ${listed}`, first?.besides ?? ''].filter((part) => part !== '').join(' and ');
}

/**
 * Returns whether a condition can apply. Returns false only if the schema enumerates the values of the member, and the
 * value of the condition is not among them.
 */
export function canHold(schema: JsonObject, { member, value }: Condition): boolean {
  if (value === undefined) return true;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const declared = properties[member];
  const listed = isJsonObject(declared) ? flatten(declared)['enum'] : undefined;
  return !Array.isArray(listed) || isIn(listed)(value);
}

function readRule(rule: JsonValue): readonly Condition[] | null {
  if (!isJsonObject(rule) || !isJsonObject(rule['if']) || !isJsonObject(rule['then']) || 'else' in rule) return null;
  const asks = rule['then'];
  const tests = Object.entries(isJsonObject(rule['if']['properties']) ? rule['if']['properties'] : {});
  const deciding = tests.find(([, test]) => isJsonObject(test) && Array.isArray(test['enum']));
  if (deciding === undefined) return null;
  const [member, test] = deciding;
  const values = isJsonObject(test) && Array.isArray(test['enum']) ? test['enum'] : [];
  const required = Array.isArray(rule['if']['required']) && rule['if']['required'].includes(member);
  const besides = tests
    .filter(([name]) => name !== member)
    .map(spoken)
    .join(' and ');
  return [...values, ...(required ? [] : [undefined])].map((value) => ({ member, value, besides, asks }));
}

function spoken([name, test]: [string, JsonValue]): string {
  return isJsonObject(test) && test['type'] === 'null'
    ? `${name} is null or absent`
    : `${name} matches ${JSON.stringify(test)}`;
}
