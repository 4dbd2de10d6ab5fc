import type { JsonObject } from '#lib/json.ts';
import { matches } from './matches.ts';
import type { Task } from './task-file.ts';

/** End of a task. */
export interface TaskEnd {
  /** Whether the agent reports that it achieved the goal. */
  readonly claimed: boolean;
  readonly output: unknown;
  /** State of the site after the task. */
  readonly state: JsonObject;
}

/** Judgement of a task's end. */
export interface Verdict {
  readonly solved: boolean;
  /** True if the agent has claimed success although the task was not solved, which must never happen. */
  readonly isFalseClaim: boolean;
  /** Differences between the expected and the found state, output and report; empty without a difference. */
  readonly faults: readonly string[];
}

/**
 * Maximum length of an answer in characters. A longer answer counts as wrong, because it may simply repeat the page.
 */
const answerMax = 500;

/**
 * Judges a task by the final state of its site, by its output if the task is possible, and by whether the agent
 * reported success correctly.
 */
export function judgeTask({ possible, expect }: Task, end: TaskEnd): Verdict {
  const faults = [...stateFaults(expect.state, end.state), ...(possible ? outputFaults(expect, end.output) : [])];
  const isSo = possible && faults.length === 0;
  const said = end.claimed === possible ? [] : [end.claimed ? 'it claims success' : 'it says that it failed'];
  return {
    solved: faults.length === 0 && end.claimed === possible,
    isFalseClaim: end.claimed && !isSo,
    faults: [...faults, ...said],
  };
}

function stateFaults(expected: JsonObject | undefined, state: JsonObject): string[] {
  return Object.entries(expected ?? {}).flatMap(([name, value]) =>
    matches(value, state[name]) ? [] : [`${name} is ${JSON.stringify(state[name])}, expected ${JSON.stringify(value)}`],
  );
}

function outputFaults({ answer = [], output }: Task['expect'], found: unknown): string[] {
  const text = typeof found === 'string' ? found : JSON.stringify(found ?? null);
  const missing = answer.filter((each) => !text.toLowerCase().includes(each.toLowerCase()));
  return [
    ...missing.map((each) => `the answer lacks ${each}: ${text.slice(0, 200)}`),
    ...(answer.length > 0 && text.length > answerMax ? [`the answer has ${text.length} characters`] : []),
    ...(output === undefined || matches(output.value, found)
      ? []
      : [`the output is ${text.slice(0, 200)}, expected ${JSON.stringify(output.value)}`]),
  ];
}
