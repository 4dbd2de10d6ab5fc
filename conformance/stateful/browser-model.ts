import { succeeded } from '../harness/exchange.ts';
import { type Breach, type Model, type Rules, breachAt } from './model.ts';
import type { Moment } from './moment.ts';
import { type Known, learn, nothingKnown, recordBreach } from './record-laws.ts';

/** What is known of a standalone browser. */
export interface BrowserKnowledge extends Known {
  isStopping: boolean;
}

/** Standalone browsers: nothing but the stop operation ends one, and its end is final. */
export function browserModel(rules: Rules): Model<BrowserKnowledge> {
  return {
    begin: { ...nothingKnown, isStopping: false },
    step: (known, moment) => {
      const broken = recordBreach(known, moment, rules) ?? browserBreach(known, moment, rules);
      if (broken !== undefined) return broken;
      const isStopping = known.isStopping || (moment.act === 'stop' && !isRefused(moment));
      return { state: { isStopping, ...learn(known, moment) } };
    },
  };
}

function browserBreach(known: BrowserKnowledge, moment: Moment, rules: Rules): { breach: Breach } | undefined {
  const { act, shown } = moment;
  const breach = (rule: string, message: string): { breach: Breach } =>
    breachAt(moment, { rule, isBeyond: false, message });
  if (act === 'late' && known.isStopping && rules.isControlled)
    return breach('stop-ignored', 'the browser has not ended after its stop was accepted; expected that it ends');
  if (act !== 'look' || shown === undefined || shown.phase === 'unknown') return undefined;
  if (shown.phase === 'over' && !known.isStopping)
    return breach(
      'ends-itself',
      `the browser is ${shown.status} although nobody has stopped it; expected that it runs`,
    );
  if (known.end !== null && shown.phase === 'open')
    return breach('end-is-left', `the browser is ${shown.status} after it had ended; expected that its end is final`);
  return undefined;
}

// No answer may stand for a stop that was done.
function isRefused({ exchange }: Moment): boolean {
  return exchange.status !== 0 && !succeeded(exchange) && exchange.status < 500;
}
