import type { RequestSpec } from '../core/request.ts';
import { type JsonValue, isJsonObject } from '../core/json.ts';
import type { Target, TargetTasks } from '../core/target.ts';

/** Placeholder for the run marker in a task. */
const place = '{run}';

/** Inserts the run marker into a text. The marker identifies the run's resources if a response with an id was lost. */
function stamped(text: string, stamp: string): string {
  return text.replaceAll(place, stamp);
}

/** Returns true if a text equals a task text whose `{run}` is replaced by any text. */
export function isStamped(text: string, goal: string): boolean {
  const [before = '', after] = goal.split(place);
  return after === undefined ? text === goal : text.startsWith(before) && text.endsWith(after);
}

/** Returns the target with the run marker inserted in its task texts. */
export function withStamp(target: Target, stamp: string): Target {
  const { tasks } = target;
  const goal = (text: string | null): string | null => (text === null ? null : stamped(text, stamp));
  const whole: TargetTasks = {
    succeed: stamped(tasks.succeed, stamp),
    fail: goal(tasks.fail),
    slow: goal(tasks.slow),
    exceedCeiling: goal(tasks.exceedCeiling),
    structured: goal(tasks.structured),
    code: goal(tasks.code),
    readFile: goal(tasks.readFile),
    writeFile: goal(tasks.writeFile),
    country: goal(tasks.country),
  };
  return { ...target, tasks: whole };
}

/** Replaces `{run}` by the run marker in every text of a request body. */
export function stampRequest(spec: RequestSpec, stamp: string): RequestSpec {
  return spec.body === undefined ? spec : { ...spec, body: stampValue(spec.body, stamp) };
}

function stampValue(value: JsonValue, stamp: string): JsonValue {
  if (typeof value === 'string') return stamped(value, stamp);
  if (Array.isArray(value)) return value.map((item) => stampValue(item, stamp));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, stampValue(item, stamp)]));
}

/**
 * Returns the `task` or `name` of a request body, which identifies the resource if the response was lost; undefined if
 * the body has neither as text.
 */
export function nameIn(body: JsonValue | undefined): string | undefined {
  if (!isJsonObject(body)) return undefined;
  return [body['task'], body['name']].find((text) => typeof text === 'string');
}
