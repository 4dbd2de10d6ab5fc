import type { Estimate } from '../core/report.ts';
import type { Plan } from '../runner/plan.ts';

/** Renders the estimate of a run as text; ends with a line break. */
export function renderEstimate(estimate: Estimate): string {
  const { dispatches, browsers, storage, expectedUsd, atMostUsd, limitUsd, notes } = estimate;
  const made = [
    count(dispatches, 'task dispatched', 'tasks dispatched'),
    count(browsers, 'browser started', 'browsers started'),
    ...(storage ? ['profiles, workspaces and small files made and removed'] : []),
  ].filter((part) => part !== '');
  const typical = expectedUsd === null ? '' : `about ${expectedUsd}, `;
  const limit = limitUsd === null ? 'no limit (--max-cost-usd)' : `limit ${limitUsd}`;
  return [
    `Estimate: ${made.length === 0 ? 'no resources' : `at most ${made.join(', ')}`}.`,
    `Cost: ${typical}at most ${atMostUsd} US dollars; ${limit}.`,
    ...notes.map((note) => `  note: ${note}`),
    '',
  ].join('\n');
}

function count(number: number, one: string, many: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many}`;
}

/** Renders the plan of a run as text. */
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
    ...(scenarios.length === 0 ? ['No scenarios: only single requests would be sent.'] : ['Scenarios:', ...scenarios]),
    'Refusal probes are sent in any case. If the target accepts one, the resource is reported and ended at once.',
    '',
  ].join('\n');
}
