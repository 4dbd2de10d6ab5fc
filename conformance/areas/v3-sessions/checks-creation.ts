import { sameSet, toText } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { deriveCalls } from '../../properties/laws/observations.ts';
import { type AcceptanceProbe, describeProbe, refusesCell } from '../../common/acceptance-probes.ts';
import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { parseDecimal, rescale } from '../../core/decimal.ts';
import { type Exchange, describeAnswer, refused, succeeded, isCapacity } from '../../core/exchange.ts';
import type { MembersV3 } from '../../core/target.ts';
import type { Scenario } from '../../core/scenario.ts';
import {
  acceptedLevels,
  equippedCountry,
  equippedSession,
  ownKeySession,
  ownKeySessions,
  ownKeySpellings,
} from './scenarios-creation.ts';
import { ownKeyRefusals, routeRefusals, sessionRefusals } from './scenarios-refusals.ts';
import { acceptanceCellCount, isReachable, type LevelCell, levelCells } from '../../common/level-cells.ts';
import { joinRecordings, type Probed } from '../../common/probe-cells.ts';
import {
  CreationRefused,
  type Observation,
  oneShotSession,
  type SessionObservation,
} from '../../common/observed-session.ts';
import { structuredSession } from './scenarios-outputs.ts';
import { levelTable } from './accepted-values.ts';
import { expectIdentified, expectNoFailingBody, expectWorks, runScenarios } from '../../common/working-operations.ts';
import {
  blamesLevel,
  collectTexts,
  expectRefused,
  concernsOtherMembers,
  saysNothing,
  levelTemplate,
  supportedList,
  splitWords,
} from '../../common/refusals.ts';
import { carried, recordsSeen, someRecord } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { taskRefusals } from '../v2-tasks/scenarios.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';

/** Checks of requests that V3 session creation must accept. */
export const sessionRequestChecks: readonly Check[] = [
  check('V3-CREATE-01', { needs: [oneShotSession], phase: 'last' }, async (t) => {
    await runScenarios(t, oneShotSession);
    expectWorks(t, 'v3.createSession');
    expectNoFailingBody(t, 'v3.createSession');
    expectIdentified(t, 'v3.createSession', { idIn: t.target.v3?.idIn ?? '', member: 'v3.idIn' });
    await created(t, oneShotSession, 'a task');
  }),
  check('V3-CREATE-02', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'a task that is a string')),
  check('V3-CREATE-03', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'no model')),
  check('V3-THINK-23', { needs: [oneShotSession] }, (t) => created(t, oneShotSession, 'no thinkingLevel')),
  check('V3-THINK-24', { needs: [structuredSession] }, (t) => created(t, structuredSession, 'thinkingLevel null')),
  check('V3-CREATE-05', { needs: [oneShotSession, structuredSession] }, (t) => levelOptional(t)),
  check('VER-09', { needs: [oneShotSession, structuredSession] }, (t) => levelOptional(t)),
  check('VER-10', { needs: [oneShotSession], phase: 'last' }, async (t) => {
    // A record may leave out null: records of other sessions show at the end of the run whether the target has levels.
    for (const { record, exchange } of (await t.recording(oneShotSession)).fetches) {
      const level = carried(t, record, 'thinkingLevel');
      const message = `thinkingLevel is ${show(level)} although none was supplied; expected null`;
      t.expect(level === null, { exchange, message });
    }
  }),
  law(
    'V3-GET-01',
    async (t) => {
      await runScenarios(t, ...someRecord(t.target));
      expectWorks(t, 'v3.getSession');
      for (const { record, exchange } of await recordsSeen(t)) {
        const message = `GET of a session ${describeAnswer(exchange)} with ${show(record)}; expected 200 with a session record`;
        t.expect(exchange.status === 200 && 'id' in record && 'status' in record, { exchange, message });
      }
    },
    { needs: someRecord },
  ),
  check('V3-CREATE-06', { needs: ownKeySessions }, async (t) => {
    if (ownKeySessions(t.target).includes(ownKeySpellings)) return readsCamelCase(t);
    const { camelCase: exchange, without } = await t.recording(ownKeySession);
    t.expect(succeeded(exchange), {
      exchange,
      message: `useOwnKey true with a stored key ${describeAnswer(exchange)}; expected success`,
    });
    const message = `an own-key model without useOwnKey ${describeAnswer(without)} after a session with the option; expected a refusal`;
    return t.expect(!succeeded(without), { exchange: without, message });
  }),
  check('V3-CREATE-07', { needs: [ownKeySession] }, async (t) => {
    const { snakeCase: exchange } = await t.recording(ownKeySession);
    if (exchange === undefined) return t.notTestable('the task of the scenario was needed for useOwnKey');
    return t.expect(succeeded(exchange), {
      exchange,
      message: `use_own_key true with a stored key ${describeAnswer(exchange)}; expected success`,
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
  check('V3-THINK-30', { needs: [acceptedLevels] }, async (t) => {
    const { bare } = await t.recording(acceptedLevels);
    if (bare.length === 0) t.notTestable('no session without a task and without a level was created');
    for (const { model, exchange, leveled } of bare) {
      const isServed = leveled !== undefined && succeeded(leveled);
      const message = `a creation on ${model} ${describeAnswer(exchange)} without thinkingLevel, and ${leveled?.status} with one; expected that the level is optional`;
      t.expect(!isServed, { cell: model, exchange, message });
    }
  }),
  check('V3-THINK-31', { needs: [acceptedLevels] }, async (t) => {
    const { refusedAfter } = await t.recording(acceptedLevels);
    if (refusedAfter.probes.length === 0)
      t.notTestable('no model accepted a level that another model had refused before');
    expectRefused(t, refusedAfter, '422');
  }),
  check('V3-ALIASES', { needs: [acceptedLevels] }, async (t) => {
    const aliases = (await t.recording(acceptedLevels)).models.filter(({ names }) => names.length > 1);
    const total = levelCells('v3').filter(({ names, level }) => names.length > 1 && level === 'low').length;
    t.cellTotal(total, 'no session on the other aliases was drawn');
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

/**
 * Judges that the creation of a scenario is accepted. `what` describes the request and completes the message "a
 * request with ...".
 */
export async function created<T extends SessionObservation>(
  t: CheckContext,
  scenario: Scenario<T>,
  what: string,
): Promise<void> {
  try {
    const { dispatched } = await t.recording(scenario);
    t.expect(succeeded(dispatched), {
      exchange: dispatched,
      message: `session creation ${describeAnswer(dispatched)}; expected success`,
    });
  } catch (error) {
    if (!(error instanceof CreationRefused)) throw error;
    // An exhausted budget, a missing right or a full queue is not about the request.
    if (isCapacity(error.exchange.status)) t.notTestable(error.message);
    const speaksOfLevel = what.includes('thinkingLevel');
    if (speaksOfLevel && concernsOtherMembers(error.exchange))
      t.notTestable(`another member was refused: ${error.message}`);
    t.expect(false, {
      exchange: error.exchange,
      message: `${error.message}; expected that a request with ${what} is accepted`,
    });
  }
}

/**
 * Judges that `useOwnKey` is not refused for a model for which `use_own_key` is accepted: the caller then has a key for
 * it.
 */
async function readsCamelCase(t: CheckContext): Promise<void> {
  const served = (await t.recording(ownKeySpellings)).filter(({ snakeCase }) => succeeded(snakeCase));
  if (served.length === 0)
    t.notTestable(
      'the target file names no stored provider key for an own-key model (ownKeys), and use_own_key is refused',
    );
  for (const { model, camelCase: exchange } of served) {
    const message = `${model}: useOwnKey true ${describeAnswer(exchange)}, and use_own_key true was accepted before; expected success for both`;
    t.expect(!refused(exchange) || isCapacity(exchange.status), { cell: model, exchange, message });
  }
}

async function levelOptional(t: CheckContext): Promise<void> {
  await created(t, oneShotSession, 'no thinkingLevel');
  await created(t, structuredSession, 'thinkingLevel null');
}

async function equipped(t: CheckContext, member: keyof MembersV3, holds: (end: Observation) => boolean): Promise<void> {
  if ((t.target.v3?.members[member] ?? null) === null)
    t.notTestable(`the target file names no such option (v3.members.${member})`);
  const { end, fetches } = await t.recording(equippedSession);
  const message = `the session was created with ${member} and its record does not show it: ${show(end.record)}; expected that a fetch shows it`;
  // A session that has ended may no longer show the options that it used.
  t.expect(holds(end) || fetches.some((seen) => holds(seen)), { exchange: end.exchange, message });
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

function judgeProbes<C extends { key: string }>(
  t: CheckContext,
  isAbout: (cell: C, exchange: Exchange) => boolean,
  probes: readonly AcceptanceProbe<C>[],
): void {
  for (const probe of probes) {
    if (t.only?.cell !== undefined && t.only.cell !== probe.cell.key) continue;
    t.expect(!refusesCell(probe, isAbout), {
      cell: probe.cell.key,
      exchange: probe.exchange,
      message: describeProbe(probe),
    });
  }
}

/**
 * Judges that no model needs a level. It is a violation if a request without a level is refused with 422 and the same
 * request with a level is not, unless the latter response is about capacity (`isCapacity`).
 */
function levelsOptional(t: CheckContext, probes: readonly AcceptanceProbe<LevelCell>[]): void {
  for (const { cell, without, exchange } of probes) {
    if (t.only?.cell !== undefined && t.only.cell !== cell.key) continue;
    const needsLevel = without.status === 422 && exchange.status !== 422 && !isCapacity(exchange.status);
    const message = `${cell.model} without thinkingLevel ${describeAnswer(without)}, and with ${cell.level} ${describeAnswer(exchange)}; expected that the level is optional`;
    t.expect(!needsLevel, { cell: cell.key, exchange: without, message });
  }
}

async function accepted(t: CheckContext): Promise<void> {
  const { cells, probes, values, late } = await t.recording(acceptedLevels);
  // Only an accepted creation shows that creations take a level: a follow-up is another request, and a refusal may have
  // another reason.
  const made = cells.filter(({ exchange }) => succeeded(exchange) && !isFollowUp(exchange));
  const seen = new Set(made.map(({ cell }) => cell.key));
  const hidden = levelCells('v3').filter((cell) => cell.accepted && !isReachable(cell, t.target)).length;
  t.cellTotal(
    acceptanceCellCount,
    `${hidden} cells need a stored provider key (ownKeys) or a route; the rest was not drawn or met a missing route`,
  );
  const isWanted = ({ cell }: Probed<LevelCell>): boolean => t.only?.cell === undefined || t.only.cell === cell.key;
  for (const probe of cells.filter((one) => isWanted(one))) takenAtOnce(t, probe);
  for (const probe of late.filter((one) => isWanted(one))) takenLate(t, probe, late);
  levelsOptional(t, probes);
  const { isAbout } = levelTable(t.target);
  judgeProbes(
    t,
    isAbout,
    probes.filter(({ cell }) => !seen.has(cell.key)),
  );
  judgeProbes(t, () => false, values);
  if (cells.length + probes.length === 0) t.notRun(`no cell was sent; ${hidden} need a stored provider key or a route`);
}

/** Judges that a creation or follow-up with a supported level is accepted, unless its refusal may have another reason. */
function takenAtOnce(t: CheckContext, { cell, exchange }: Probed<LevelCell>): void {
  const isPairRefused = (): boolean => supportedList(exchange, levelTemplate(cell.names, cell.level)) !== undefined;
  // A refusal for a missing route, an exhausted budget or a full queue is not about the level. The target file says
  // that the key is stored; only the provider may still refuse the key.
  const isKeyRefused = cell.ownKey && exchange.status !== 422;
  const mayBeElse = cell.routed || isKeyRefused || isCapacity(exchange.status);
  if (!succeeded(exchange) && mayBeElse && !isPairRefused()) return;
  const message = `${cell.key} ${describeAnswer(exchange)}; expected that the level is accepted`;
  t.expect(succeeded(exchange), { cell: cell.key, exchange, message });
}

/** Statuses with which a target may refuse every follow-up to an ended session, whatever the level is. */
const endedStatuses: readonly number[] = [400, 404, 409, 410];

/**
 * Judges that a follow-up to an ended session is not refused for its level. A 422 is a violation if it names the level,
 * or if a follow-up with another supported level on this model got one of `endedStatuses`.
 */
function takenLate(t: CheckContext, { cell, exchange }: Probed<LevelCell>, late: readonly Probed<LevelCell>[]): void {
  const other = late.find((one) => one.cell.model === cell.model && endedStatuses.includes(one.exchange.status));
  const isBlamed = exchange.status === 422 && (other !== undefined || blamesLevel(exchange));
  const beside = other === undefined ? '' : `; with ${other.cell.level} it ${describeAnswer(other.exchange)}`;
  const message = `a follow-up with thinkingLevel ${cell.level} for an ended session on ${cell.model} ${describeAnswer(exchange)} ${show(collectTexts(exchange))}${beside}; expected that the level is accepted`;
  t.expect(!isBlamed, { cell: cell.key, exchange, message });
}

/** Checks of models, levels and options that V3 session creation must refuse. */
export const sessionRefusalChecks: readonly Check[] = [
  check('V3-THINK-REFUSES', { needs: [sessionRefusals], phase: 'last' }, async (t) => {
    await pairsRefused(t);
    await pairsNeverAccepted(t);
  }),
  check('ERR-06', { needs: [sessionRefusals] }, (t) => pairsRefused(t)),
  check('V3-THINK-25', { needs: [sessionRefusals] }, async (t) => {
    const { withOwnKey, withoutOwnKey } = await t.recording(sessionRefusals);
    for (const { cell, exchange } of withOwnKey.probes) {
      const other = withoutOwnKey.probes.find((probe) => probe.cell.key === cell.key)?.exchange;
      if (other === undefined || saysNothing(exchange) || saysNothing(other)) continue;
      const lists = [exchange, other].map((answer) => supportedList(answer, levelTemplate(cell.names, cell.level)));
      const [left, right] = lists;
      // A refusal that does not name the pair may have another reason, such as a missing key; only its status is
      // compared.
      const agree = left === undefined || right === undefined || sameSet(splitWords(left), splitWords(right));
      t.expect(refused(exchange) && refused(other) && agree, {
        cell: cell.key,
        exchange: refused(exchange) ? other : exchange,
        message: `${cell.key}: useOwnKey true ${describeAnswer(exchange)}, false ${describeAnswer(other)}; expected the same refusal`,
      });
    }
  }),
  check('MAP-13', { needs: [sessionRefusals, taskRefusals] }, async (t) => {
    const v3 = t.target.v3 === null ? [] : (await t.recording(sessionRefusals)).cells.probes;
    const v2 = t.target.v2 === null ? [] : (await t.recording(taskRefusals)).cells.probes;
    const earlier = [...v3, ...v2].filter(({ cell }) => ['gpt-5-mini', 'o3', 'o4-mini'].includes(cell.model));
    if (earlier.length === 0) t.notRun('three probes of the matrices had been accepted before');
    expectRefused(t, { probes: earlier, unsent: [] }, '422');
  }),
  check('V3-OWN-KEY', { needs: [ownKeyRefusals] }, async (t) => {
    expectRefused(t, await t.recording(ownKeyRefusals), 'not created');
  }),
  check('V3-ROUTES', { needs: [routeRefusals] }, async (t) => {
    expectRefused(t, await t.recording(routeRefusals), 'not created');
  }),
  check('BYOK-02', { needs: [ownKeyRefusals] }, async (t) => {
    for (const { cell, exchange } of (await t.recording(ownKeyRefusals)).probes) {
      t.expect(exchange.status !== 0 && !succeeded(exchange), {
        exchange,
        message: `${cell.key} ${describeAnswer(exchange)}; expected a refusal without useOwnKey true`,
      });
    }
  }),
];

async function pairsRefused(t: CheckContext): Promise<void> {
  const { cells, varied } = await t.recording(sessionRefusals);
  expectRefused(t, joinRecordings<LevelCell>(cells, varied), '422');
}

/**
 * Judges that no other scenario has created a session with a pair that is refused alone, whatever else the body had.
 * Further requirements judge follow-ups.
 */
async function pairsNeverAccepted(t: CheckContext): Promise<void> {
  const { probes } = (await t.recording(sessionRefusals)).cells;
  const refusedCells = probes.flatMap(({ cell, exchange }) => (refused(exchange) ? [cell] : []));
  for (const { operation, exchange } of deriveCalls(t)) {
    if (operation !== 'v3.createSession' || exchange.sentBy === sessionRefusals.name) continue;
    if (!succeeded(exchange) || isFollowUp(exchange)) continue;
    const { model, thinkingLevel } = requestObject(exchange);
    const cell = refusedCells.find(({ names, level }) => level === thinkingLevel && names.includes(toText(model)));
    if (cell === undefined) continue;
    const message = `${cell.key} ${describeAnswer(exchange)} beside other members; expected 422`;
    t.expect(false, { cell: `${cell.key} beside other members`, exchange, message });
  }
}
