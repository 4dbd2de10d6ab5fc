import { isControlled } from '../../common/target-facts.ts';
import type { Scenario, ScenarioContext } from '../../core/scenario.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type JobKind, unstoppableReason, unwatchableReason } from '../../core/job-target.ts';
import type { Target } from '../../core/target.ts';
import { type Campaign, playCampaign } from './campaign.ts';
import { runMachine, sessionMachine, taskMachine } from './machines.ts';
import { type Machine, aftermath, optional, sequence } from './machine.ts';
import * as fc from 'fast-check';
import { browserActor } from './browser-actor.ts';
import { explain } from './explain.ts';
import { succeeded } from '../../core/exchange.ts';
import { type Model, type Rules, type Violation, isStopIgnored, violationAt } from './model.ts';
import type { Moment } from './moment.ts';
import { type Known, nextKnowledge, nothingKnown, recordViolation } from './record-laws.ts';

const endings = fc.constantFrom('stop', 'stop|stop', 'stop|look', 'stop|list');
const after = aftermath('stop', 'list', 'look');
/** The stateful scripts and the model of standalone browsers. */
const browserMachine: Machine = {
  themes: {
    ends: sequence('browser', optional('look', 'list'), endings, after),
    lives: sequence('browser', 'look', 'list', 'look', 'stop', after),
  },
  dispatching: new Set(),
  actor: browserActor,
  explain: (turns, rules) => explain(browserModel(rules), turns),
};

/**
 * Assumed number of tasks of an average script. `tasksForShorter` is the number of tasks that are reserved for
 * shrinking.
 */
const tasksPerScript = 4;
const tasksForShorter = 8;

/** Creates V3 sessions and plays scripts that are drawn from the seed. */
export const statefulSessions: Scenario<Campaign> = {
  ...withTasks(sessionMachine),
  name: 'stateful-sessions',
  creates: 'one V3 session per script that is drawn, with follow-ups, stops and races, each stopped at its end',
  unavailable: ({ v3 }) =>
    v3 === null || v3.stop !== null ? undefined : 'the target file names no operation that ends a session (v3.stop)',
};

/** Creates V2 tasks and plays scripts that are drawn from the seed. */
export const statefulTasks: Scenario<Campaign> = {
  ...withTasks(taskMachine),
  name: 'stateful-tasks',
  creates: 'one V2 task per script that is drawn, with stops and races, each stopped at its end',
  unavailable: (target) => unplayable(target, 'task'),
};

/** Creates V4 runs and plays scripts that are drawn from the seed. */
export const statefulRuns: Scenario<Campaign> = {
  ...withTasks(runMachine),
  name: 'stateful-runs',
  creates: 'one V4 run per script that is drawn, with cancels, messages and races, each ended with its session',
  unavailable: (target) => unplayable(target, 'run'),
};

/** Creates standalone browsers and plays scripts that are drawn from the seed. */
export const statefulBrowsers: Scenario<Campaign> = {
  name: 'stateful-browsers',
  creates: 'one V4 browser per script that is drawn, each stopped at its end',
  spend: 'browser',
  // The default number of scripts.
  browsers: () => 3,
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? unseenBrowsers(target),
  run: (context) => campaign(context, browserMachine, Number.POSITIVE_INFINITY),
};

function withTasks(machine: Machine): Omit<Scenario<Campaign>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 'cells',
    cells: ({ statefulRuns: scripts }) => (scripts === 0 ? 0 : scripts * tasksPerScript + tasksForShorter),
    weight: 250,
    stateful: true,
    run: (context) => campaign(context, machine, context.taskBudget),
  };
}

function campaign(context: ScenarioContext, machine: Machine, dispatches: number): Promise<Campaign> {
  const rules = { beyond: context.profile === 'full', isControlled: isControlled(context.target) };
  return playCampaign(context, { machine, rules, scripts: context.statefulRuns, dispatches });
}

function unplayable(target: Target, kind: JobKind): string | undefined {
  return unwatchableReason(target, kind) ?? unstoppableReason(target, kind);
}

function unseenBrowsers({ v4 }: Target): string | undefined {
  const browsers = v4?.browsers ?? null;
  return browsers === null || browsers.get === null || browsers.statusIn === null
    ? 'the target file names no state of a browser to look at (v4.browsers.get, v4.browsers.statusIn)'
    : undefined;
}

/** Known state of a standalone browser. */
interface BrowserKnowledge extends Known {
  isStopping: boolean;
}

/** Creates the model of standalone browsers: only the stop operation ends a browser, and the end is final. */
function browserModel(rules: Rules): Model<BrowserKnowledge> {
  return {
    begin: { ...nothingKnown, isStopping: false },
    step: (known, moment) => {
      const broken = recordViolation(known, moment, rules) ?? browserViolation(known, moment, rules);
      if (broken !== undefined) return broken;
      const isStopping = known.isStopping || (moment.act === 'stop' && !isRefused(moment));
      return { state: { isStopping, ...nextKnowledge(known, moment) } };
    },
  };
}

function browserViolation(known: BrowserKnowledge, moment: Moment, rules: Rules): { violation: Violation } | undefined {
  const { act, shown } = moment;
  const violation = (rule: string, message: string): { violation: Violation } =>
    violationAt(moment, { rule, isBeyond: false, message });
  if (isStopIgnored(known.isStopping, moment, rules))
    return violation('stop-ignored', 'the browser has not ended after its stop was accepted; expected that it ends');
  if (act !== 'look' || shown === undefined || shown.phase === 'unknown') return undefined;
  if (shown.phase === 'over' && !known.isStopping)
    return violation(
      'ends-itself',
      `the browser is ${shown.status} although it was not stopped; expected that it runs`,
    );
  if (known.end !== null && shown.phase === 'open')
    return violation(
      'end-is-left',
      `the browser is ${shown.status} after it had ended; expected that its end is final`,
    );
  return undefined;
}

/**
 * Returns true for a response that is neither a success nor a server error. A stop without a response does not count as
 * refused, because it may have taken effect.
 */
function isRefused({ exchange }: Moment): boolean {
  return exchange.status !== 0 && !succeeded(exchange) && exchange.status < 500;
}
