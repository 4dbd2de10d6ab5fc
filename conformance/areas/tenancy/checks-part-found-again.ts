import type { CheckContext } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { jobTarget, phaseOf } from '../../core/job-target.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import { operationOf } from '../../core/operations.ts';
import type { Generation } from '../../core/target/target.ts';
import type { TwoKeys } from './scenarios-part-two-keys.ts';
import { show } from '../common/session-records.ts';

/** Every look of the owner finds what it found before the attempts of another project. */
export function foundAgain(t: CheckContext, all: TwoKeys): void {
  const expected = expectedOf(t, all);
  for (const [index, first] of all.before.entries()) {
    const again = all.after[index];
    // What was not there may have come by itself, such as the logs of a task that has ended.
    if (again === undefined || !succeeded(first)) continue;
    const cell = `${first.generation}.${first.operation}`;
    const change = firstChange(t, { first, again }, expected);
    const found = change ?? describeAnswer(again);
    const message = `after another project had tried everything, ${cell} shows its owner ${found}; it had answered ${first.status}, and nothing of ours should have changed`;
    const holds = succeeded(again) && change === undefined;
    t.expect(holds, { cell, exchange: again, message });
  }
}

interface Expected {
  /** Words of the status of what somebody has ended. */
  stopped: ReadonlySet<JsonValue>;
  /** Everything that the other project has asked for. */
  asked: string;
  /** True when a task has come to its own end: what ends with it nobody has ended, and messages behind it begin. */
  completed: boolean;
}

function expectedOf({ target, recorder }: CheckContext, { after, attempts, things }: TwoKeys): Expected {
  const jobs = (['task', 'run'] as const).flatMap((kind) => jobTarget(target, kind) ?? []);
  const ids = Object.values(things.ids);
  // It may end between two looks of the owner: what is seen later shows it too.
  const later = recorder.all().filter(({ request }) => ids.some((id) => request.url.includes(id)));
  return {
    stopped: new Set(['stopped', 'cancelled', ...jobs.flatMap(({ states }) => states.ended)]),
    asked: attempts.map(({ exchange }) => exchange?.request.body ?? '').join(' '),
    completed: [...after, ...later].some(({ operation, json }) =>
      jobs.some((job) => Object.values(job.operations).includes(operation) && phaseOf(job, json) === 'completed'),
    ),
  };
}

/** The first member of the documents that has changed, as text; undefined where none has. */
function firstChange(
  t: CheckContext,
  { first, again }: { first: Exchange; again: Exchange },
  expected: Expected,
): string | undefined {
  const operation = operationOf(t.target, first);
  const schema = operation === undefined ? undefined : t.answers.schemaOf(operation, operation.successStatus);
  const known = operation === undefined || schema === undefined ? [] : membersOf(t, operation.generation, schema);
  const [before, now] = [first.json, again.json];
  if (!isJsonObject(before) || !isJsonObject(now)) return undefined;
  const changed = known.find((name) => hasChanged([name, before[name] ?? null, now[name] ?? null], expected));
  return changed === undefined
    ? undefined
    : `${changed} ${show(now[changed] ?? null)} in the place of ${show(before[changed] ?? null)}`;
}

function membersOf(t: CheckContext, generation: Generation, found: JsonObject): string[] {
  const { properties, allOf } = t.answers.resolve(generation, found);
  const parts = Array.isArray(allOf) ? allOf.filter((part) => isJsonObject(part)) : [];
  const own = isJsonObject(properties) ? Object.keys(properties) : [];
  return [...own, ...parts.flatMap((part) => membersOf(t, generation, part))];
}

/** Members that change by themselves while something works, or with every look. */
const moving =
  /(At|Urls?|Usd|Cost|Mb|Tokens?|Count|Summary|Id|After|Cursor)$|^(cost|output|result|steps|events|messages|isSuccess|isTaskSuccessful|hasMore|judge|judgement|judgeVerdict)$/;

function hasChanged(
  [name, before, now]: readonly [string, JsonValue, JsonValue],
  { stopped, asked, completed }: Expected,
): boolean {
  if (moving.test(name) || isAlike(before, now)) return false;
  if (name === 'status') return !completed && stopped.has(now);
  if (name === 'queue') return !completed;
  // The task of a session is its latest: a message that has begun, but not what the other project has asked for.
  if (name === 'task') return asked.includes(JSON.stringify(now));
  // A target may find a title by itself, but not the one that the other project has asked for.
  return name === 'title' ? asked.includes(JSON.stringify(now)) : true;
}

/** What an item of a list is known by. */
const lasting = ['id', 'path', 'name', 'size', 'text'];

function isAlike(before: JsonValue, now: JsonValue): boolean {
  return JSON.stringify(still(before)) === JSON.stringify(still(now));
}

function still(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.map((item) => (isJsonObject(item) ? lasting.map((name) => item[name] ?? null) : item));
}
