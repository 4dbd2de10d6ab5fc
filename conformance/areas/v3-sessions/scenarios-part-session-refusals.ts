import type { Drive, Scenario } from '../../core/scenario.ts';
import { type LevelCell, levelCells } from '../common/scenarios-part-level-cells.ts';
import { sessionProbe } from '../common/probe-bodies.ts';
import { type ProbeRecording, probeCells } from '../common/scenarios-part-probe-cells.ts';

/** V3 refusal cells with the own-key option on, off, and as each model needs it. */
export interface SessionRefusals {
  /** Every refused cell; own-key models with `useOwnKey` true, so that the level is the only fault. */
  cells: ProbeRecording<LevelCell>;
  /** The same cells with `useOwnKey` true everywhere. */
  withOwnKey: ProbeRecording<LevelCell>;
  /** The same cells with `useOwnKey` false everywhere. */
  withoutOwnKey: ProbeRecording<LevelCell>;
}

/** Sends every pair of the V3 matrix that must be refused. */
export const sessionRefusals: Scenario<SessionRefusals> = {
  name: 'session-refusals',
  creates: 'nothing: every V3 pair that must be refused is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  drive: async (drive) => {
    const refused = levelCells('v3').filter((cell) => !cell.accepted);
    return {
      cells: await probeCells(refused, (cell) => send(drive, cell, cell.ownKey ? { useOwnKey: true } : {})),
      withOwnKey: await probeCells(refused, (cell) => send(drive, cell, { useOwnKey: true })),
      withoutOwnKey: await probeCells(refused, (cell) => send(drive, cell, { useOwnKey: false })),
    };
  },
};

function send(
  { sessions, target }: Drive,
  cell: LevelCell,
  own: { useOwnKey?: boolean },
): ReturnType<typeof sessions.probe> {
  return sessions.probe({ ...sessionProbe(target), model: cell.model, thinkingLevel: cell.level, ...own });
}
