import type { JsonObject, JsonValue } from '#lib/json.ts';
import { expectObject, expectText } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

/**
 * Returns a copy of a bundled document that expresses the reasoning matrices and the own-key rule as JSON Schema
 * `if/then`, so that tools without the tables reject what the contract rejects. A schema names its rules in `x-rules`.
 * Throws for an unknown rule.
 */
export function compileRules(document: JsonObject, tables: RuleTables): JsonObject {
  const compiled = structuredClone(document);
  const schemas = expectObject(expectObject(compiled['components'], 'components')['schemas'], 'components.schemas');
  for (const [name, value] of Object.entries(schemas)) {
    const schema = expectObject(value, name);
    const rules = schema['x-rules'];
    if (!Array.isArray(rules)) continue;
    const written = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
    schema['allOf'] = [
      ...written,
      ...rules.flatMap((rule) => compileRule(expectText(rule, `${name} x-rules`), tables)),
    ];
  }
  return compiled;
}

function compileRule(rule: string, tables: RuleTables): JsonObject[] {
  switch (rule) {
    case 'v2.thinkingLevels':
      return levelConditions(tables.thinkingLevels.v2, 'llm', {});
    case 'v3.thinkingLevels':
      return levelConditions(tables.thinkingLevels.v3, 'model', { sessionId: { type: 'null' } });
    case 'v3.ownKey':
      return [ownKeyCondition(tables)];
    case 'v4.modelParams':
      return modelParamsConditions(tables);
    default:
      throw new Error(
        `x-rules: found ${JSON.stringify(rule)}, expected a rule that tools/generate/compile-rules.ts knows`,
      );
  }
}

/**
 * Returns one `if/then` for each distinct list of levels: if `member` names a model with this list, `thinkingLevel`
 * must be one of these levels or null. Models that accept every level need no condition.
 */
function levelConditions(rows: RuleTables['thinkingLevels']['v3'], member: string, guard: JsonObject): JsonObject[] {
  const full = Math.max(...rows.map((row) => row.levels.length));
  const groups = Map.groupBy(
    rows.filter((row) => row.levels.length < full),
    (row) => row.levels.join(','),
  );
  return [...groups.values()].map((group) => ({
    if: condition({ member, names: group.map((row) => row.model), guard }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: open({ properties: { thinkingLevel: { enum: [...(group[0]?.levels ?? []), null] } } }),
  }));
}

function ownKeyCondition(tables: RuleTables): JsonObject {
  const names = tables.models.v3.models.filter((model) => model.availability === 'own-key').map((model) => model.name);
  const spelled = (member: string): JsonObject =>
    open({ required: [member], properties: { [member]: { const: true } } });
  return {
    if: condition({ member: 'model', names, guard: { sessionId: { type: 'null' } } }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { anyOf: [spelled('useOwnKey'), spelled('use_own_key')] },
  };
}

function modelParamsConditions(tables: RuleTables): JsonObject[] {
  const byModel = Map.groupBy(tables.modelParams.matrix, (row) => row.model);
  const shapes = tables.models.v4.models.map((model) => ({
    model: model.name,
    shape: JSON.stringify(allowedParams(byModel.get(model.name) ?? [])),
  }));
  return [...Map.groupBy(shapes, (entry) => entry.shape)].map(([shape, group]) => {
    const names = group.map((entry) => entry.model);
    const isDefault = names.includes(tables.models.v4.default.model);
    return {
      if: condition({ member: 'model', names, guard: {}, required: !isDefault }),
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: open({ properties: { modelParams: expectObject(JSON.parse(shape), 'modelParams') } }),
    };
  });
}

function allowedParams(rows: RuleTables['modelParams']['matrix']): JsonObject {
  const groups = Map.groupBy(rows, (row) => head(row.path));
  const properties = [...groups].map(([name, group]): [string, JsonValue] => [
    name,
    {
      type: 'object',
      properties: Object.fromEntries(group.map((row) => [tail(row.path), { enum: [...row.values] }])),
      additionalProperties: false,
    },
  ]);
  return { properties: Object.fromEntries(properties), additionalProperties: false };
}

interface Condition {
  readonly member: string;
  readonly names: readonly string[];
  /** Schemas of other members. The condition applies only if each of these members is absent or matches its schema. */
  readonly guard: JsonObject;
  /**
   * Whether the condition applies only if `member` is present. False if the default of an absent member is one of
   * `names`. @defaultValue true
   */
  readonly required?: boolean;
}

function condition({ member, names, guard, required = true }: Condition): JsonObject {
  const properties: JsonObject = { [member]: { enum: [...names] }, ...guard };
  return open(required ? { properties, required: [member] } : { properties });
}

/**
 * Adds `unevaluatedProperties: true` to a schema of a condition, because linters regard an object schema without it as
 * closed.
 */
function open(schema: JsonObject): JsonObject {
  return { ...schema, unevaluatedProperties: true };
}

function head(path: string): string {
  return path.slice(0, path.indexOf('.'));
}

function tail(path: string): string {
  return path.slice(path.indexOf('.') + 1);
}
