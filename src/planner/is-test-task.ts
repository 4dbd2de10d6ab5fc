/** Whether a goal is meant as one of the documented test tasks, known or not: it begins with `svc-test:`. */
export function isTestTask(goal: string): boolean {
  return /^\s*svc-test:/i.test(goal);
}
