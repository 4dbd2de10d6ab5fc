import type { Drive, Scenario } from '../../core/scenario.ts';
import type { Exchange } from '../../core/exchange.ts';
import { objectWith } from '../../core/json.ts';
import { type ParamCell, foreignPathCells, refusedParamCells } from '../common/scenarios-part-param-cells.ts';
import { runProbe } from '../common/probe-bodies.ts';
import { type ProbeRecording, probeCells } from '../common/scenarios-part-probe-cells.ts';

/** V4 refusal cells. */
export interface RunRefusals {
  /** Values outside a path's list, and any value for a model that takes none. */
  cells: ProbeRecording<ParamCell>;
  /** Paths of another provider's models. */
  foreign: ProbeRecording<ParamCell>;
}

/** Sends every modelParams value that must be refused. */
export const runRefusals: Scenario<RunRefusals> = {
  name: 'run-refusals',
  creates: 'nothing: every modelParams value that must be refused is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  drive: async (drive) => ({
    cells: await probeCells(refusedParamCells(), (cell) => send(drive, cell)),
    foreign: await probeCells(foreignPathCells(), (cell) => send(drive, cell)),
  }),
};

function send({ things, target }: Drive, { model, path, value }: ParamCell): Promise<Exchange> {
  const body = { ...runProbe(target), model, modelParams: objectWith(path, value) };
  return things.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
}
