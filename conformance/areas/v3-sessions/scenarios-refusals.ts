import { models as modelRules } from '#generated/rules.ts';
import { createCircuitBreaker, type Exchange } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { type LevelCell, levelCells, unlistedLevelCells } from '../../common/level-cells.ts';
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
