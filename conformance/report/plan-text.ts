import type { Plan } from '../runner/plan.ts';
import { renderEstimate } from './estimate-text.ts';

/** What a run would do, for people. */
export function renderPlan(plan: Plan): string {
  const judged = plan.rows.filter((row) => row.skip === undefined).length;
  const testable = plan.rows.filter((row) => row.skip?.verdict !== 'notTestable').length;
  const scenarios = plan.scenarios.map((item) => {
    const { name, creates, spend, dispatches } = item;
    const tasks = dispatches === 'cells' ? (plan.taskBudgets.get(item) ?? 0) : dispatches;
    return `  ${name.padEnd(22)}${`spend ${spend}`.padEnd(15)}${tasks} tasks  ${creates}`;
  });
  return [
    `${judged} of ${plan.rows.length} requirements would be judged; ${testable - judged} more with a higher --spend or limit.`,
    ...(plan.shard === undefined ? [] : [`This is shard ${plan.shard.index} of ${plan.shard.of}.`]),
    `At most ${plan.dispatches} tasks would be dispatched.`,
    renderEstimate(plan.estimate).trimEnd(),
    ...(scenarios.length === 0 ? ['Nothing would be driven beyond single requests.'] : ['Scenarios:', ...scenarios]),
    'Refusal probes are sent in any case; one that is accepted is ended at once and reported.',
    '',
  ].join('\n');
}
