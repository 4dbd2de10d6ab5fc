import { TEST_COURSES, type TestTaskName } from './test-tasks.ts';

/** A goal that is meant as a test task. */
export interface ReadTestTask {
  /** Null where there is no test task of that name. */
  readonly name: TestTaskName | null;
  /** The name as it was given. */
  readonly word: string;
  /** What stands behind it, trimmed. */
  readonly parameter: string;
}

/** A word behind `#` tells goals apart and means nothing. */
const GOAL = /^\s*svc-test:\s*(?<name>[a-z-]*)\s*(?<parameter>.*?)\s*(?:#\w*)?\s*$/is;

/** Reads `svc-test: <name> <parameter> #<word>`; null for any other goal. */
export function readTestTask(goal: string): ReadTestTask | null {
  const found = GOAL.exec(goal)?.groups;
  if (found === undefined) return null;
  const { name: word = '', parameter = '' } = found;
  return { name: isName(word) ? word : null, word, parameter };
}

function isName(word: string): word is TestTaskName {
  return Object.hasOwn(TEST_COURSES, word);
}
