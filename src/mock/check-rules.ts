import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Problem, problemDetails, problem, validationProblem } from '#contract/problems.ts';
import { checkOwnKey, checkThinkingLevel, listModelParamsRefusals } from '#contract/model-controls.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** A rule that a schema names with x-rules. Returns the refusals of a body that satisfies the schema. */
type BodyRule = (rules: RuleBook, body: JsonObject) => readonly Problem[];

const bodyRules: Readonly<Record<string, BodyRule>> = {
  'v2.thinkingLevels': (rules, body) =>
    levelRefusals(rules, { version: 'v2', model: text(body['llm']), level: text(body['thinkingLevel']) }),
  'v3.thinkingLevels': (rules, body) =>
    isFollowUp(body)
      ? []
      : levelRefusals(rules, { version: 'v3', model: text(body['model']), level: text(body['thinkingLevel']) }),
  'v3.ownKey': (rules, body) => (isFollowUp(body) ? [] : ownKeyRefusals(rules, body)),
  'v4.modelParams': (rules, body) => paramsRefusals(rules, body),
};

/**
 * Returns the details of the first rule that refuses the body, or null. A V3 follow-up is exempt: its rules depend on
 * the session's model, and the mock stores no sessions.
 */
export function checkRules(rules: RuleBook, names: readonly string[], body: JsonValue | undefined): Problem | null {
  if (!isJsonObject(body)) return null;
  for (const name of names) {
    const rule = bodyRules[name];
    if (rule === undefined)
      throw new Error(`x-rules: found ${name}, expected one of ${Object.keys(bodyRules).join(', ')}`);
    const refused = rule(rules, body);
    if (refused.length > 0) return validationProblem(refused.flatMap((found) => problemDetails(found, rules)));
  }
  return null;
}

function levelRefusals(rules: RuleBook, query: Parameters<typeof checkThinkingLevel>[1]): readonly Problem[] {
  const refusal = checkThinkingLevel(rules, query);
  return refusal === null ? [] : [problem(refusal.code, refusal.values, ['body', ...refusal.path])];
}

function ownKeyRefusals(rules: RuleBook, body: JsonObject): readonly Problem[] {
  const ownKey = body['useOwnKey'] === true || body['use_own_key'] === true;
  const refusal = checkOwnKey(rules, { model: text(body['model']), ownKey });
  return refusal === null ? [] : [problem(refusal.code, refusal.values, ['body', ...refusal.path])];
}

function paramsRefusals(rules: RuleBook, body: JsonObject): readonly Problem[] {
  const given = body['modelParams'];
  const params = isJsonObject(given) ? given : undefined;
  const refusals = listModelParamsRefusals(rules, { model: text(body['model']), params });
  return refusals.map((refusal) => problem(refusal.code, refusal.values, ['body', ...refusal.path]));
}

function isFollowUp(body: JsonObject): boolean {
  return typeof body['sessionId'] === 'string';
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
