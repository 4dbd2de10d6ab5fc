import { type Check, type CheckContext, check, law } from '../../core/check.ts';
import { parseDecimal, rescale } from '../../core/decimal.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import type { MembersV3 } from '../../core/target/target.ts';
import type { Scenario } from '../../core/scenario.ts';
import { acceptedLevels } from './scenarios-part-accepted-levels.ts';
import { acceptanceCellCount, isReachable } from '../common/scenarios-part-acceptance-cells.ts';
import { equippedCountry, equippedSession } from './scenarios-part-equipped-session.ts';
import { levelCells } from '../common/scenarios-part-level-cells.ts';
import {
  CreationRefused,
  type Observation,
  type SessionObservation,
} from '../common/scenarios-part-observed-session.ts';
import { oneShotSession } from '../common/scenarios-part-one-shot-session.ts';
import { ownKeySession } from './scenarios-part-own-key-session.ts';
import { structuredSession } from './scenarios-part-structured-session.ts';
import { isCapacity } from '../common/checks-part-capacity.ts';
import { levelTemplate, supportedList } from '../common/checks-part-refusal-text.ts';
import { show, someRecord, recordsSeen } from '../common/session-records.ts';

/** What V3 session creation accepts. */
export const sessionRequestChecks: readonly Check[] = [
  check('V3-CREATE-01', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'a task')),
  check('V3-CREATE-02', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'a task that is a string')),
  check('V3-CREATE-03', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'no model')),
  check('V3-THINK-23', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'no thinkingLevel')),
  check('V3-THINK-24', { needs: [structuredSession] }, (t) => created(t, structuredSession, 'thinkingLevel null')),
  check('V3-CREATE-05', { needs: [oneShotSession, structuredSession] }, (t) => levelOptional(t)),
  check('VER-09', { needs: [oneShotSession, structuredSession] }, (t) => levelOptional(t)),
  check('VER-10', { needs: [oneShotSession] }, async (t) => {
    const seen = (await t.recording(oneShotSession)).fetches.filter(
      ({ record }) => record['thinkingLevel'] !== undefined,
    );
    if (seen.length === 0) t.notTestable('the session record does not carry thinkingLevel');
    for (const { record, exchange } of seen) {
      const message = `thinkingLevel is ${show(record['thinkingLevel'])} although none was supplied; expected null`;
      t.expect(record['thinkingLevel'] === null, { exchange, message });
    }
  }),
  law(
    'V3-GET-01',
    async (t) => {
      for (const { record, exchange } of await recordsSeen(t)) {
        const message = `GET of a session ${describeAnswer(exchange)} with ${show(record)}; expected 200 with a session record`;
        t.expect(exchange.status === 200 && 'id' in record && 'status' in record, { exchange, message });
      }
    },
    { needs: someRecord },
  ),
  check('V3-CREATE-06', { needs: [ownKeySession] }, async (t) => {
    const { camelCase: exchange } = await t.recording(ownKeySession);
    t.expect(succeeded(exchange), {
      exchange,
      message: `useOwnKey true with a stored key ${describeAnswer(exchange)}`,
    });
  }),
  check('V3-CREATE-07', { needs: [ownKeySession] }, async (t) => {
    const { snakeCase: exchange } = await t.recording(ownKeySession);
    t.expect(succeeded(exchange), {
      exchange,
      message: `use_own_key true with a stored key ${describeAnswer(exchange)}`,
    });
  }),
  check('V3-CREATE-12', { needs: [equippedSession] }, (t) =>
    equipped(t, 'inbox', ({ record }) => typeof record['inboxEmail'] === 'string'),
  ),
  check('V3-CREATE-13', { needs: [equippedSession] }, (t) => attached(t, 'profileId')),
  check('V3-CREATE-14', { needs: [equippedSession] }, (t) => attached(t, 'workspaceId')),
  check('V3-CREATE-15', { needs: [equippedSession] }, (t) =>
    equipped(t, 'proxyCountryCode', ({ record }) => record['proxyCountryCode'] === equippedCountry),
  ),
  check('V3-CREATE-16', { needs: [equippedSession] }, (t) => ceilingSet(t)),
  check('LIMIT-06', { needs: [equippedSession] }, (t) => ceilingSet(t)),
  check('V3-THINK-ACCEPTS', { needs: [acceptedLevels] }, (t) => accepted(t)),
  check('V3-ALIASES', { needs: [acceptedLevels] }, async (t) => {
    const aliases = (await t.recording(acceptedLevels)).models.filter(({ names }) => names.length > 1);
    t.cellTotal(levelCells('v3').filter(({ names, level }) => names.length > 1 && level === 'low').length);
    if (aliases.length === 0) t.notRun('no session on an alias was drawn, or none was created');
    for (const { model, names, observation } of aliases) {
      const found = observation.record['model'];
      const message = `a session on ${model} shows model ${show(found)}; expected ${names.join(' or ')}`;
      t.expect(
        names.some((name) => name === found),
        { cell: model, exchange: observation.exchange, message },
      );
    }
  }),
];

async function created<T extends SessionObservation>(
  t: CheckContext,
  scenario: Scenario<T>,
  what: string,
): Promise<void> {
  try {
    const { dispatched } = await t.recording(scenario);
    t.expect(succeeded(dispatched), {
      exchange: dispatched,
      message: `session creation ${describeAnswer(dispatched)}`,
    });
  } catch (error) {
    if (!(error instanceof CreationRefused)) throw error;
    // A spent budget, a missing right or a full queue says nothing of the request.
    if (isCapacity(error.exchange.status)) t.notTestable(error.message);
    t.expect(false, {
      exchange: error.exchange,
      message: `${error.message}; expected that a request with ${what} is accepted`,
    });
  }
}

async function levelOptional(t: CheckContext): Promise<void> {
  await created(t, oneShotSession, 'no thinkingLevel');
  await created(t, structuredSession, 'thinkingLevel null');
}

async function equipped(t: CheckContext, member: keyof MembersV3, holds: (end: Observation) => boolean): Promise<void> {
  if ((t.target.v3?.members[member] ?? null) === null)
    t.notTestable(`the target file names no such option (v3.members.${member})`);
  const { end } = await t.recording(equippedSession);
  const message = `the session was created with ${member} and its record does not show it: ${show(end.record)}`;
  t.expect(holds(end), { exchange: end.exchange, message });
}

async function attached(t: CheckContext, member: 'profileId' | 'workspaceId'): Promise<void> {
  const id = t.target.v3?.existing[member] ?? null;
  if (id === null) t.notTestable(`the target file names nothing that exists (v3.existing.${member})`);
  await equipped(t, member, ({ record }) => record[member] === id);
}

function ceilingSet(t: CheckContext): Promise<void> {
  return equipped(t, 'maxCostUsd', ({ record }) => sameAmount(record['maxCostUsd'], t.target.limits.ceilingUsd));
}

function sameAmount(shown: unknown, asked: string): boolean {
  const [left, right] = [typeof shown === 'string' ? parseDecimal(shown) : undefined, parseDecimal(asked)];
  if (left === undefined || right === undefined) return false;
  const scale = Math.max(left.scale, right.scale);
  return rescale(left, scale) === rescale(right, scale);
}

async function accepted(t: CheckContext): Promise<void> {
  const { cells } = await t.recording(acceptedLevels);
  const hidden = levelCells('v3').filter((cell) => cell.accepted && !isReachable(cell, t.target)).length;
  t.cellTotal(
    acceptanceCellCount,
    `${hidden} cells need a stored provider key (ownKeys); the rest was not drawn or met a missing route`,
  );
  for (const { cell, exchange } of cells) {
    if (t.only?.cell !== undefined && t.only.cell !== cell.key) continue;
    const isPairRefused = (): boolean => supportedList(exchange, levelTemplate(cell.names, cell.level)) !== undefined;
    // A missing route or key, a spent budget or a full queue is no refusal of the level.
    const mayBeElse = cell.routed || cell.ownKey || isCapacity(exchange.status);
    if (!succeeded(exchange) && mayBeElse && !isPairRefused()) continue;
    const message = `${cell.key} ${describeAnswer(exchange)}; expected that the level is accepted`;
    t.expect(succeeded(exchange), { cell: cell.key, exchange, message });
  }
  if (cells.length === 0) t.notRun(`no cell was sent; ${hidden} need a stored provider key`);
}
