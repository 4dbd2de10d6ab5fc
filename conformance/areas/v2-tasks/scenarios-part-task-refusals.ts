import type { Drive, Scenario } from '../../core/scenario.ts';
import type { Exchange } from '../../core/exchange.ts';
import { type LevelCell, levelCells } from '../common/scenarios-part-level-cells.ts';
import { taskProbe } from '../common/probe-bodies.ts';
import { type ProbeRecording, probeCells } from '../common/scenarios-part-probe-cells.ts';

/** V2 refusal cells, alone and beside the legacy switch. */
export interface TaskRefusals {
  cells: ProbeRecording<LevelCell>;
  /** The first refused cell of each model with `thinking` true. */
  withThinking: ProbeRecording<LevelCell>;
}

/** Sends every pair of the V2 matrix that must be refused. */
export const taskRefusals: Scenario<TaskRefusals> = {
  name: 'task-refusals',
  creates: 'nothing: every V2 pair that must be refused is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  drive: async (drive) => {
    const refused = levelCells('v2').filter((cell) => !cell.accepted);
    const firsts = refused.filter((cell, index) => refused[index - 1]?.model !== cell.model);
    return {
      cells: await probeCells(refused, (cell) => send(drive, cell, {})),
      withThinking: await probeCells(firsts, (cell) => send(drive, cell, { thinking: true })),
    };
  },
};

function send({ things }: Drive, cell: LevelCell, extra: { thinking?: true }): Promise<Exchange> {
  const body = { ...taskProbe(), llm: cell.model, thinkingLevel: cell.level, ...extra };
  return things.probe('task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body });
}
