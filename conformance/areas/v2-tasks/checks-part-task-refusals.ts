import { type Check, check, type CheckContext } from '../../core/check.ts';
import type { LevelCell } from '../common/scenarios-part-level-cells.ts';
import { taskRefusals } from './scenarios-part-task-refusals.ts';
import { expectRefused } from '../common/checks-part-expect-refused.ts';

/** V2: pairs that must be refused. */
export const taskRefusalChecks: readonly Check[] = [
  check('V2-THINK-REFUSES', { needs: [taskRefusals] }, (t) => cellsRefused(t, () => true)),
  check('ERR-07', { needs: [taskRefusals] }, (t) => cellsRefused(t, () => true)),
  check('MAP-06', { needs: [taskRefusals] }, (t) => cellsRefused(t, ({ model }) => model === 'gemini-2.5-pro')),
  check('MAP-11', { needs: [taskRefusals] }, (t) => cellsRefused(t, isOlderClaude)),
  check('MAP-15', { needs: [taskRefusals] }, (t) => cellsRefused(t, ({ model }) => model === 'glm-5.2')),
  check('V2-THINK-30', { needs: [taskRefusals] }, (t) => cellsRefused(t, ({ model }) => model === 'glm-5.2')),
  check('V2-THINK-31', { needs: [taskRefusals] }, (t) => cellsRefused(t, isOlderClaude)),
  check('V2-TASK-07', { needs: [taskRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(taskRefusals)).withThinking, '422');
  }),
];

async function cellsRefused(t: CheckContext, wanted: (cell: LevelCell) => boolean): Promise<void> {
  const { cells } = await t.recording(taskRefusals);
  const probes = cells.probes.filter(({ cell }) => wanted(cell));
  if (probes.length === 0) t.notRun('three probes of this matrix had been accepted before');
  expectRefused(t, { probes, unsent: cells.unsent.filter((cell) => wanted(cell)) }, '422');
}

function isOlderClaude({ model, supported }: LevelCell): boolean {
  return model.startsWith('claude-') && supported.length === 1;
}
