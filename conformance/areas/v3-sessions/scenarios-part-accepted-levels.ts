import { type Exchange, succeeded } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { acceptanceCellCount, drawAcceptanceCells } from '../common/scenarios-part-acceptance-cells.ts';
import { narrowed } from '../common/scenarios-part-narrowed.ts';
import type { LevelCell } from '../common/scenarios-part-level-cells.ts';
import {
  type Observation,
  createSession,
  CreationRefused,
  hasEnded,
  poll,
  runFollowUp,
} from '../common/scenarios-part-observed-session.ts';
import type { Probed } from '../common/scenarios-part-probe-cells.ts';

/** What was sent of the acceptance cells of the V3 matrix. */
export interface AcceptedLevels {
  cells: Probed<LevelCell>[];
  /** The first record of each model's session. */
  models: { model: string; names: readonly string[]; observation: Observation }[];
}

/** One session per model; its levels follow each other as follow-up tasks. */
export const acceptedLevels: Scenario<AcceptedLevels> = {
  name: 'accepted-levels',
  creates: 'one V3 session per model drawn, with one task per level drawn',
  spend: 'task',
  dispatches: 'cells',
  cells: acceptanceCellCount,
  stateful: false,
  drive: async (drive) => {
    const all = drawAcceptanceCells({
      target: drive.target,
      count: drive.onlyCell === undefined ? drive.allowance : acceptanceCellCount,
      seed: drive.seed,
    });
    const cells = narrowed(all, drive.onlyCell);
    const models = [...new Set(cells.map(({ model }) => model))];
    // All of them come to rest before the first error is told: nothing may be dispatched after the scenario has ended.
    const driven = await Promise.allSettled(
      models.map((model) =>
        drive.live(() =>
          driveModel(
            drive,
            cells.filter((cell) => cell.model === model),
          ),
        ),
      ),
    );
    const parts = driven.map((part) => {
      if (part.status === 'rejected') throw part.reason;
      return part.value;
    });
    return { cells: parts.flatMap((part) => part.cells), models: parts.flatMap((part) => part.models) };
  },
};

async function driveModel(drive: Drive, cells: readonly LevelCell[]): Promise<AcceptedLevels> {
  const single = drive.target.stateless || drive.target.v3?.followUp === null;
  if (!single) return driveSession(drive, cells);
  const sent: Probed<LevelCell>[] = [];
  // Without follow-ups every level needs a session of its own, which is stopped at once.
  for (const cell of cells) sent.push({ cell, exchange: await createAndStop(drive, cell) });
  return { cells: sent, models: [] };
}

async function createAndStop(drive: Drive, cell: LevelCell): Promise<Exchange> {
  const exchange = await drive.sessions.create({ body: bodyOf(drive, cell, false) });
  if (succeeded(exchange) && !drive.target.stateless) await drive.sessions.stop(drive.sessions.idOf(exchange));
  return exchange;
}

async function driveSession(drive: Drive, cells: readonly LevelCell[]): Promise<AcceptedLevels> {
  const [first, ...rest] = cells;
  if (first === undefined) return { cells: [], models: [] };
  try {
    const session = await createSession(drive, bodyOf(drive, first, true));
    const observation = session.end;
    await poll(drive, session, { id: session.id, until: hasEnded });
    const sent: Probed<LevelCell>[] = [{ cell: first, exchange: session.dispatched }];
    for (const cell of rest) {
      const { dispatched } = await runFollowUp(drive, session.id, followUpBody(drive, cell));
      sent.push({ cell, exchange: dispatched });
    }
    if (drive.target.v3?.stop !== null) await drive.sessions.stop(session.id);
    return { cells: sent, models: [{ model: first.model, names: first.names, observation }] };
  } catch (error) {
    if (!(error instanceof CreationRefused)) throw error;
    return { cells: [{ cell: first, exchange: error.exchange }], models: [] };
  }
}

function bodyOf({ target }: Drive, cell: LevelCell, keepAlive: boolean): JsonObject {
  const own = cell.ownKey ? { useOwnKey: true } : {};
  return { task: target.tasks.succeed, model: cell.model, thinkingLevel: cell.level, keepAlive, ...own };
}

function followUpBody({ target }: Drive, cell: LevelCell): JsonObject {
  const own = cell.ownKey ? { useOwnKey: true } : {};
  return { task: target.tasks.succeed, thinkingLevel: cell.level, keepAlive: true, ...own };
}
