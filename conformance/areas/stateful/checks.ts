import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Scenario } from '../../core/scenario.ts';
import {
  type Campaign,
  type FoundScript,
  listMoments,
  statefulBrowsers,
  statefulRuns,
  statefulSessions,
  statefulTasks,
  formatScript,
  writeScript,
} from '../../properties/stateful/index.ts';
import { scriptLines } from '../../core/script-lines.ts';

/**
 * Checks of life cycles: the suite plays random request scripts, generated from the seed, and validates each response.
 */
export const statefulChecks: readonly Check[] = [
  check('STATE-SESSIONS', { needs: [statefulSessions] }, (t) => explained(t, statefulSessions, 'documented')),
  check('STATE-SESSIONS-BEYOND', { needs: [statefulSessions] }, (t) => explained(t, statefulSessions, 'beyond')),
  check('STATE-TASKS', { needs: [statefulTasks] }, (t) => explained(t, statefulTasks, 'beyond')),
  check('STATE-RUNS', { needs: [statefulRuns] }, (t) => explained(t, statefulRuns, 'beyond')),
  check('STATE-BROWSERS', { needs: [statefulBrowsers] }, (t) => explained(t, statefulBrowsers, 'documented')),
  check('STATE-BROWSERS-BEYOND', { needs: [statefulBrowsers] }, (t) => explained(t, statefulBrowsers, 'beyond')),
];

async function explained(t: CheckContext, scenario: Scenario<Campaign>, kind: 'documented' | 'beyond'): Promise<void> {
  if (t.statefulRuns === 0) t.notRun('needs --stateful-runs of 1 or more');
  const { themes, cut } = await t.recording(scenario);
  const judged = themes.filter(({ isObserved, found }) => isObserved || found[kind] !== undefined);
  if (judged.length === 0 && themes.some(({ played }) => played > 0))
    t.notTestable('no answer has shown the state of the resource');
  for (const { name, found } of judged) {
    const violating = found[kind];
    if (violating === undefined) t.expect(true, { cell: name, message: 'every answer is explained' });
    else fail(t, name, violating);
  }
  t.cellTotal(themes.length, cut === 0 ? undefined : `${cut} scripts were cut or left out (--max-dispatches)`);
}

function fail(t: CheckContext, cell: string, { script, turns, violation, isShortest }: FoundScript): void {
  // Removes repetitions, because a snapshot after the deadline is listed twice.
  const sent = [...new Set(listMoments(turns).map(({ exchange }) => exchange))];
  const end = sent.findLastIndex(({ index }) => index === violation.exchange.index);
  t.expect(false, {
    cell,
    exchange: violation.exchange,
    message: violation.message,
    counterexample: `${formatScript(script)}${isShortest ? '' : ' (there may be a shorter one)'}`,
    path: writeScript(script),
    script: scriptLines(sent.slice(0, end + 1)),
  });
}
