import type { RequestSpec } from '../core/request.ts';
import { type JsonValue, isJsonObject } from '../core/json.ts';
import type { Target, TargetTasks } from '../core/target.ts';

/** Where a goal carries the word of the run. */
const place = '{run}';

/** A text with the word of a run, by which its things are found when an answer with an id was lost. */
function stamped(text: string, stamp: string): string {
  return text.replaceAll(place, stamp);
}

/** True for a goal that came from another one by putting in the word of a run. */
export function isStamped(text: string, goal: string): boolean {
  const [before = '', after] = goal.split(place);
  return after === undefined ? text === goal : text.startsWith(before) && text.endsWith(after);
}

/** The target with the word of a run in its goals. */
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
  };
  return { ...target, tasks: whole };
}

/** The request with the word of the run in its body, for goals that no target file names. */
export function stampRequest(spec: RequestSpec, stamp: string): RequestSpec {
  return spec.body === undefined ? spec : { ...spec, body: stampValue(spec.body, stamp) };
}

function stampValue(value: JsonValue, stamp: string): JsonValue {
  if (typeof value === 'string') return stamped(value, stamp);
  if (Array.isArray(value)) return value.map((item) => stampValue(item, stamp));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, stampValue(item, stamp)]));
}

/** What a request calls the thing that it makes: by it the thing is found when the answer was lost. */
export function nameIn(body: JsonValue | undefined): string | undefined {
  if (!isJsonObject(body)) return undefined;
  return [body['task'], body['name']].find((text) => typeof text === 'string');
}
