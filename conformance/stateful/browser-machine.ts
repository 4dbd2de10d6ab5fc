import * as fc from 'fast-check';
import { browserActor } from './browser-actor.ts';
import { browserModel } from './browser-model.ts';
import { explain } from './explain.ts';
import type { Machine } from './machine.ts';
import { aftermath, optional, sequence } from './themes.ts';

const endings = fc.constantFrom('stop', 'stop|stop', 'stop|look', 'stop|list');
const after = aftermath('stop', 'list', 'look');

/** Standalone browsers. */
export const browserMachine: Machine = {
  themes: {
    ends: sequence('browser', optional('look', 'list'), endings, after),
    lives: sequence('browser', 'look', 'list', 'look', 'stop', after),
  },
  dispatching: new Set(),
  actor: browserActor,
  explain: (turns, rules) => explain(browserModel(rules), turns),
};
