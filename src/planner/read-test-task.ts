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

const PREFIX = /^svc-test:/i;

/** Reads `svc-test: <name> <parameter> #<word>`; null for any other goal. */
export function readTestTask(goal: string): ReadTestTask | null {
  const trimmed = goal.trim();
  if (!PREFIX.test(trimmed)) return null;
  const rest = trimmed.replace(PREFIX, '').trimStart();
  const [word = ''] = /^[a-z-]*/i.exec(rest) ?? [];
  const behind = rest.slice(word.length).trim();
  // A word behind `#` tells goals apart and means nothing.
  const mark = behind.lastIndexOf('#');
  const parameter = mark >= 0 && /^\w*$/.test(behind.slice(mark + 1)) ? behind.slice(0, mark).trim() : behind;
  return { name: isName(word) ? word : null, word, parameter };
}

function isName(word: string): word is TestTaskName {
  return Object.hasOwn(TEST_COURSES, word);
}
