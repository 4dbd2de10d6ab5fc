import type { Exchange } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target/target.ts';
import { type LevelCell, levelCells } from '../common/scenarios-part-level-cells.ts';
import { sessionProbe } from '../common/probe-bodies.ts';

/** An own-key model with the option in both spellings. */
export interface OwnKeySession {
  camelCase: Exchange;
  snakeCase: Exchange;
}

/** Creates a session with a stored provider key, once per spelling of the option, and stops it at once. */
export const ownKeySession: Scenario<OwnKeySession> = {
  name: 'own-key-session',
  creates: 'two V3 sessions on an own-key model',
  spend: 'task',
  dispatches: 2,
  stateful: true,
  unavailable: (target) =>
    servedCell(target) === undefined
      ? 'the target file names no stored provider key for an own-key model (ownKeys)'
      : undefined,
  drive: (drive) =>
    drive.live(async () => ({
      camelCase: await send(drive, 'useOwnKey'),
      snakeCase: await send(drive, 'use_own_key'),
    })),
};

function servedCell(target: Target): LevelCell | undefined {
  return levelCells('v3').find((cell) => cell.ownKey && target.ownKeys.includes(cell.provider));
}

function send({ sessions, target }: Drive, option: string): Promise<Exchange> {
  const cell = servedCell(target);
  if (cell === undefined) throw new NotTestable('no own-key model is served');
  // Sent as a probe, because a probe ends what it creates at once.
  return sessions.probe({ ...sessionProbe(target), model: cell.model, [option]: true });
}
