import * as fc from 'fast-check';
import type { JobKind } from '../../core/job-target.ts';
import { explain } from './explain.ts';
import { jobActor } from './job-actor.ts';
import { jobModel } from './job-model.ts';
import { type Machine, aftermath, optional, sequence } from './machine.ts';
import { sessionActor } from './session-actor.ts';
import { sessionModel } from './session-model.ts';

const jobBegins = fc.constantFrom('succeed', 'slow');
const jobEndings = fc.constantFrom('stop', 'stop|stop', 'stop|look', 'stop|status');
const removals = fc.constantFrom('remove', 'remove|look', 'remove|stop');
const after = aftermath('stop', 'status', 'list');

const ends = sequence(jobBegins, optional('wait', 'look'), jobEndings, after, removals, 'list');
const completed = sequence('succeed', 'wait', after, removals, 'list');

function createMachine(kind: JobKind, themes: Machine['themes']): Machine {
  return {
    themes,
    dispatching: new Set(['succeed', 'slow', 'again', 'message']),
    actor: (context) => jobActor(context, kind),
    explain: (turns, rules) => explain(jobModel(rules), turns),
  };
}

/** The stateful scripts and the model of V2 tasks. */
export const taskMachine: Machine = createMachine('task', {
  ends,
  completed,
  busy: sequence('slow', 'again', fc.constantFrom('again|look', 'again|stop', 'stop|look'), 'stop', 'list'),
});

const takenBack = fc.constantFrom('takeBack', 'takeBack|stop');

/** The stateful scripts and the model of V4 runs, with follow-ups and messages in their session. */
export const runMachine: Machine = createMachine('run', {
  ends,
  completed: sequence('succeed', 'wait', after, 'again|again', removals, 'list'),
  busy: sequence(
    'slow',
    'again',
    'message',
    takenBack,
    fc.constantFrom('stop', 'stop|look', 'again|stop'),
    'look',
    'list',
  ),
});

const sessionBegins = fc.constantFrom('kept', 'kept:slow', 'once', 'once:slow');
const follows = fc.constantFrom('follow', 'follow:null', 'follow:value');
const sessionEndings = fc.constantFrom('stop', 'stop|stop', 'stop|look', 'stop|follow');
const pair = 'follow:slow|follow:slow';
const collisions = fc.constantFrom('stop|follow', 'stop|list', 'remove|look', 'remove|stop', 'stopTask|follow');
const talk = sequence(follows, fc.constant('wait'));

/** The stateful scripts and the model of V3 sessions. */
export const sessionMachine: Machine = {
  themes: {
    ends: sequence(
      sessionBegins,
      optional('wait', 'look'),
      sessionEndings,
      aftermath('stop', 'follow', 'list'),
      'remove',
      'list',
    ),
    talk: sequence('kept', 'wait', talk, talk, talk, 'stop|stop', 'follow'),
    race: sequence('kept', 'wait', pair, 'follow', collisions, 'list'),
  },
  dispatching: new Set(['kept', 'once', 'follow']),
  actor: sessionActor,
  explain: (turns, rules) => explain(sessionModel(rules), turns),
};
