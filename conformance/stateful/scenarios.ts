import { isControlled } from '../checks/own-target.ts';
import type { Drive, Scenario } from '../harness/scenario.ts';
import { noBrowsers } from '../harness/browser-api.ts';
import { type JobKind, unstoppable, unwatchable } from '../harness/job-target.ts';
import type { Target } from '../harness/target/target.ts';
import { browserMachine } from './browser-machine.ts';
import { type Campaign, playCampaign } from './campaign.ts';
import { runMachine, taskMachine } from './job-machine.ts';
import type { Machine } from './machine.ts';
import { sessionMachine } from './session-machine.ts';

/** Tasks that a script dispatches on average, and what is kept for looking for a shorter one. */
const tasksPerScript = 4;
const tasksForShorter = 8;

/** V3 sessions under scripts that are drawn. */
export const statefulSessions: Scenario<Campaign> = {
  ...withTasks(sessionMachine),
  name: 'stateful-sessions',
  creates: 'one V3 session per script that is drawn, with follow-ups, stops and races, each stopped at its end',
  unavailable: ({ v3 }) =>
    v3 === null || v3.stop !== null ? undefined : 'the target file names no operation that ends a session (v3.stop)',
};

/** V2 tasks under scripts that are drawn. */
export const statefulTasks: Scenario<Campaign> = {
  ...withTasks(taskMachine),
  name: 'stateful-tasks',
  creates: 'one V2 task per script that is drawn, with stops and races, each stopped at its end',
  unavailable: (target) => unplayable(target, 'task'),
};

/** V4 runs under scripts that are drawn. */
export const statefulRuns: Scenario<Campaign> = {
  ...withTasks(runMachine),
  name: 'stateful-runs',
  creates: 'one V4 run per script that is drawn, with cancels, messages and races, each ended with its session',
  unavailable: (target) => unplayable(target, 'run'),
};

/** Standalone browsers under scripts that are drawn. */
export const statefulBrowsers: Scenario<Campaign> = {
  name: 'stateful-browsers',
  creates: 'one V4 browser per script that is drawn, each stopped at its end',
  spend: 'browser',
  // As many scripts as are drawn where nothing else is asked for.
  browsers: () => 3,
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? unseenBrowsers(target),
  drive: (drive) => campaign(drive, browserMachine, Number.POSITIVE_INFINITY),
};

function withTasks(machine: Machine): Omit<Scenario<Campaign>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 'cells',
    cells: ({ statefulRuns: scripts }) => (scripts === 0 ? 0 : scripts * tasksPerScript + tasksForShorter),
    weight: 250,
    stateful: true,
    drive: (drive) => campaign(drive, machine, drive.allowance),
  };
}

function campaign(drive: Drive, machine: Machine, dispatches: number): Promise<Campaign> {
  const rules = { beyond: drive.profile === 'full', isControlled: isControlled(drive.target) };
  return playCampaign(drive, { machine, rules, scripts: drive.statefulRuns, dispatches });
}

function unplayable(target: Target, kind: JobKind): string | undefined {
  return unwatchable(target, kind) ?? unstoppable(target, kind);
}

function unseenBrowsers({ v4 }: Target): string | undefined {
  const browsers = v4?.browsers ?? null;
  return browsers === null || browsers.get === null || browsers.statusIn === null
    ? 'the target file names no state of a browser to look at (v4.browsers.get, v4.browsers.statusIn)'
    : undefined;
}
