import { models as modelRules } from '#generated/rules.ts';
import { createCircuitBreaker, type Exchange, succeeded } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import { settleAll } from '../../core/outcome.ts';
import { sample } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { isReachable, type LevelCell, levelCells, levelWords, unlistedLevelCells } from '../../common/level-cells.ts';
import { probeCells, type ProbeRecording } from '../../common/probe-cells.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import { type RequestRest, type WithRest, bodyWithRest, plainRest, withRests } from '../../common/request-rests.ts';
import { ownKeyOption } from './accepted-values.ts';

/** A creation on an own-key model without `useOwnKey`, or with the option false or null. */
export interface OwnKeyCell {
  /** Model and the rest of the request, for example `<model> absent` or `<model> false`. */
  key: string;
  model: string;
  option: { useOwnKey?: false | null; use_own_key?: false; thinkingLevel?: string | null };
  /** True if the request has no task. */
  isTaskless?: true;
}

/** Requests every own-key model without `useOwnKey` true; records the refusals. */
export const ownKeyRefusals: Scenario<ProbeRecording<OwnKeyCell>> = {
  name: 'own-key-refusals',
  creates: 'nothing: every own-key model is sent without useOwnKey',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  run: ({ sessions, target }) =>
    probeCells(ownKeyCells(), ({ model, option, isTaskless }) => {
      const { task, ...rest } = sessionProbe(target);
      return sessions.probe({
        ...rest,
        ...(isTaskless === true || task === undefined ? {} : { task }),
        model,
        ...option,
      });
    }),
};

function ownKeyCells(): OwnKeyCell[] {
  const names = modelRules.v3.models.filter((model) => model.availability === 'own-key').map(({ name }) => name);
  return names.flatMap((model) => [
    { key: `${model} absent`, model, option: {} },
    { key: `${model} false`, model, option: { useOwnKey: false } },
    { key: `${model} null`, model, option: { useOwnKey: null } },
    { key: `${model} false in snake case`, model, option: { use_own_key: false } },
    { key: `${model} absent with a level`, model, option: { thinkingLevel: 'high' } },
    { key: `${model} absent with the level null`, model, option: { thinkingLevel: null } },
    { key: `${model} absent without a task`, model, option: {}, isTaskless: true },
  ]);
}

/**
 * Creates a session without a task for each level, on a model that supports this level, and stops it. The target may
 * keep its first verdict on a level for every model. If that verdict is an acceptance, the refusals of the run show it.
 * Does nothing for a stateless target, without a stop operation, and for a run of one cell. The contract does not show a
 * creation without a task, so a refusal is no violation.
 */
export const firstLevels: Scenario<void> = {
  name: 'first-levels',
  creates: 'one V3 session without a task per level, before any other request with a level, each stopped at once',
  spend: 'task',
  dispatches: 0,
  browsers: () => levelWords.length,
  stateful: false,
  isFirst: true,
  run: async (context) => {
    const { sessions, target, seed, onlyCell } = context;
    if (target.stateless || target.v3?.stop === null || onlyCell !== undefined) return;
    const cells = levelCells('v3').filter(
      (cell) => cell.accepted && cell.names.length === 1 && !cell.ownKey && isReachable(cell, target),
    );
    const drawn = levelWords.flatMap((word) =>
      sample(
        cells.filter(({ level }) => level === word),
        1,
        seed,
      ),
    );
    const create = async ({ model, level }: LevelCell): Promise<void> => {
      const created = await sessions.create({ body: { model, thinkingLevel: level, keepAlive: false } });
      if (succeeded(created)) await sessions.stop(sessions.readId(created));
    };
    await settleAll(drawn.map((cell) => context.live(() => create(cell))));
  },
};

/** A model without a provider key or route of the service. */
export interface UnroutedCell {
  /** Name of the model. */
  key: string;
}

/** Requests every model for which the target has neither a provider key nor a route. Records the refusals. */
export const routeRefusals: Scenario<ProbeRecording<UnroutedCell>> = {
  name: 'route-refusals',
  creates: 'nothing: every model without a route is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  unavailable: ({ v3 }) =>
    (v3?.unrouted ?? []).length === 0
      ? 'the target file names no model without a provider route (v3.unrouted)'
      : undefined,
  run: ({ sessions, target }) =>
    probeCells(
      (target.v3?.unrouted ?? []).map((key) => ({ key })),
      ({ key }) => sessions.probe({ ...sessionProbe(target), model: key }),
    ),
};

/** Cells of the V3 matrix that must be refused, sent with the own-key option on, off, and as each model requires. */
export interface SessionRefusals {
  /** Every refused cell. Own-key models have `useOwnKey` true, so that the level is the only reason for a refusal. */
  cells: ProbeRecording<LevelCell>;
  /**
   * The cells of models that need no own key, in requests with various valid members beside the model and the level.
   */
  varied: ProbeRecording<WithRest<LevelCell>>;
  /** For each model, one or more levels that V3 does not list. */
  unlisted: ProbeRecording<LevelCell>;
  /** The cells of `cells`, each sent with `useOwnKey` and `keepAlive` true. */
  withOwnKey: ProbeRecording<LevelCell>;
  /** The cells of `cells`, each sent with `useOwnKey` false. */
  withoutOwnKey: ProbeRecording<LevelCell>;
}

/** Sends every combination of model and level that V3 must refuse. Records the responses. */
export const sessionRefusals: Scenario<SessionRefusals> = {
  name: 'session-refusals',
  creates: 'nothing: every V3 pair that must be refused is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  run: async (context) => {
    const refused = levelCells('v3').filter((cell) => !cell.accepted);
    // A model that requires the client's own key may be refused for the missing key, with any level.
    const varied = withRests(
      refused.filter(({ ownKey }) => !ownKey),
      'v3',
      context.seed,
    );
    const breaker = createCircuitBreaker();
    return {
      cells: await probeCells(refused, (cell) => sendRefused(context, cell, { own: ownKeyOption(cell) }), breaker),
      varied: await probeCells(
        varied,
        (cell) => sendRefused(context, cell, { own: ownKeyOption(cell), rest: cell.rest }),
        breaker,
      ),
      unlisted: await probeCells(unlistedLevelCells('v3', context.seed), (cell) =>
        sendRefused(context, cell, { own: ownKeyOption(cell) }),
      ),
      withOwnKey: await probeCells(refused, (cell) =>
        sendRefused(context, cell, { own: { useOwnKey: true, keepAlive: true } }),
      ),
      withoutOwnKey: await probeCells(refused, (cell) => sendRefused(context, cell, { own: { useOwnKey: false } })),
    };
  },
};

/** Sends a creation with a model and a level, which the target must refuse. `own` has the option of the own key. */
export function sendRefused(
  { sessions, target }: ScenarioContext,
  { model, level }: LevelCell,
  { own, rest = plainRest }: { own: JsonObject; rest?: RequestRest },
): Promise<Exchange> {
  return sessions.probe(bodyWithRest({ ...sessionProbe(target), ...own }, { model, thinkingLevel: level }, rest));
}
