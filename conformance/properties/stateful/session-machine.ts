import * as fc from 'fast-check';
import { explain } from './explain.ts';
import type { Machine } from './machine.ts';
import { aftermath, optional, sequence } from './themes.ts';
import { sessionActor } from './session-actor.ts';
import { sessionModel } from './session-model.ts';

const begins = fc.constantFrom('kept', 'kept:slow', 'once', 'once:slow');
const follows = fc.constantFrom('follow', 'follow:null', 'follow:value');
const endings = fc.constantFrom('stop', 'stop|stop', 'stop|look', 'stop|follow');
const pair = 'follow:slow|follow:slow';
const collisions = fc.constantFrom('stop|follow', 'stop|list', 'remove|look', 'remove|stop', 'stopTask|follow');
const talk = sequence(follows, fc.constant('wait'));

/** The machine of V3 sessions. */
export const sessionMachine: Machine = {
  themes: {
    ends: sequence(begins, optional('wait', 'look'), endings, aftermath('stop', 'follow', 'list'), 'remove', 'list'),
    talk: sequence('kept', 'wait', talk, talk, talk, 'stop|stop', 'follow'),
    race: sequence('kept', 'wait', pair, 'follow', collisions, 'list'),
  },
  dispatching: new Set(['kept', 'once', 'follow']),
  actor: sessionActor,
  explain: (turns, rules) => explain(sessionModel(rules), turns),
};
