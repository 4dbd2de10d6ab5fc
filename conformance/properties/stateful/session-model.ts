import { lifecycle } from '#generated/rules.ts';
import { refused, succeeded, isCapacity } from '../../core/exchange.ts';
import { requestObject } from '../../core/request-json.ts';
import {
  type Violation,
  type Model,
  type Outcome,
  type Rules,
  isStopIgnored,
  violationAt,
  describeMoment,
} from './model.ts';
import type { Act, Moment, Shown } from './moment.ts';
import { type Known, changedMember, nextKnowledge, nothingKnown, recordViolation } from './record-laws.ts';

/** Known state of a V3 session. */
export interface SessionKnowledge extends Known {
  /** States in which the session may be, according to the last response. */
  states: readonly string[];
  /** True if an accepted task may still start or run. */
  hasTask: boolean;
  /**
   * True if a snapshot has shown the session as running, or a higher step count, since the session accepted its last
   * task.
   */
  hasRun: boolean;
  /** Number of accepted tasks so far. */
  accepted: number;
  /** Value of keepAlive; null if a follow-up may have changed it. */
  keepAlive: boolean | null;
  isStopping: boolean;
  isTaskStopping: boolean;
  /** The outcome of the last task, until another task is accepted. */
  outcome: Shown | null;
  /**
   * Description of the response that refused the last follow-up, for the message of a violation: an idle session must
   * not refuse a follow-up. Null after an accepted follow-up and after a snapshot.
   */
  refusal: string | null;
  /**
   * True if the session is known to refuse a task while it is running. Null if the session refused a task and the last
   * snapshot before showed it as running; the next snapshot then decides whether it was still running.
   */
  refusesBusy: boolean | null;
  /** True if two slow tasks that were sent concurrently were both accepted. */
  tookTwo: boolean;
}

interface Edge {
  id: string;
  from: string;
  to: string;
  condition: string;
}

const machine = lifecycle.machines.find((item) => item.machine === 'session');
const states: readonly { name: string; kind: string }[] = machine?.states ?? [];
const edges: readonly Edge[] = machine?.transitions ?? [];
const ends: readonly string[] = states.filter(({ kind }) => kind === 'end').map(({ name }) => name);

const nothing: SessionKnowledge = {
  ...nothingKnown,
  states: [],
  hasTask: false,
  hasRun: false,
  accepted: 0,
  keepAlive: null,
  isStopping: false,
  isTaskStopping: false,
  outcome: null,
  refusal: null,
  refusesBusy: false,
  tookTwo: false,
};

/**
 * Creates the model of V3 sessions from the life-cycle table of the contract. Rules beyond the contract come from the
 * companion.
 */
export function sessionModel(rules: Rules): Model<SessionKnowledge> {
  return {
    begin: nothing,
    step: (known, moment) => {
      const broken = recordViolation(known, moment, rules);
      if (broken !== undefined) return broken;
      const outcome = steps[moment.act](known, moment, rules);
      return 'violation' in outcome ? outcome : { state: { ...outcome.state, ...nextKnowledge(known, moment) } };
    },
  };
}

type Step = (known: SessionKnowledge, moment: Moment, rules: Rules) => Outcome<SessionKnowledge>;

const unchanged: Step = (known) => ({ state: known });

const steps: Readonly<Record<Act, Step>> = {
  create: (known, moment) => ({ state: created(known, moment) }),
  dispatch: dispatched,
  // Only a refusal shows that nothing was stopped: an error may follow a stop that took effect.
  stop: (known, { exchange }) => ({ state: { ...known, isStopping: known.isStopping || !refused(exchange) } }),
  stopTask: (known, { exchange }) => ({
    state: { ...known, isTaskStopping: known.isTaskStopping || succeeded(exchange) },
  }),
  look: looked,
  list: unchanged,
  late,
  remove: unchanged,
  beside: unchanged,
  queue: unchanged,
  takeBack: unchanged,
};

function created(known: SessionKnowledge, { word }: Moment): SessionKnowledge {
  return { ...known, states: ['created'], hasTask: true, accepted: 1, keepAlive: word.startsWith('kept') };
}

/** Returns every state that a session may have reached since the last observation. */
function reachable(known: SessionKnowledge): Set<string> {
  const reached = new Set(known.states);
  for (let grown = true; grown; ) {
    const next = edges.filter(
      (edge) => isOpen(edge, known) && !reached.has(edge.to) && [...reached].some((from) => leads(edge, from)),
    );
    for (const { to } of next) reached.add(to);
    grown = next.length > 0;
  }
  if (known.isTaskStopping && reached.has('running')) reached.add('idle');
  return reached;
}

/**
 * Returns true if an edge of the life cycle starts at the given state. "Any state" (`*`) excludes the end states, which
 * are final.
 */
function leads(edge: Edge, from: string): boolean {
  return edge.from === '*' ? !ends.includes(from) : edge.from === from;
}

function isOpen({ id, condition }: Edge, { isStopping, hasTask, keepAlive }: SessionKnowledge): boolean {
  if (id === 'stop') return isStopping;
  if (id === 'dispatch') return hasTask;
  return id !== 'complete' || keepAlive === null || condition === `keepAlive is ${keepAlive}`;
}

function dispatched(known: SessionKnowledge, moment: Moment, rules: Rules): Outcome<SessionKnowledge> {
  const possible = [...reachable(known)];
  if (succeeded(moment.exchange)) {
    if (rules.beyond && possible.every((state) => ends.includes(state))) {
      const message = `a follow-up to a session that is ${possible.join(' or ')} ${describeMoment(moment)}; expected a refusal`;
      return violationAt(moment, { rule: 'end-takes-task', isBeyond: true, message });
    }
    return { state: accepted(known, moment) };
  }
  return { state: notAccepted(known, moment, possible) };
}

/**
 * Minimum duration of a slow task in ms. If two slow tasks were accepted within this time, both were active at the same
 * time.
 */
const slowAtLeastMs = 1000;

function accepted(known: SessionKnowledge, { word, exchange }: Moment): SessionKnowledge {
  const isPair = word === 'follow:slow|follow:slow' && exchange.durationMs < slowAtLeastMs;
  return {
    ...known,
    // The task may already have run and ended; the transition table decides.
    states: ['created', 'idle', 'running'],
    hasTask: true,
    hasRun: false,
    accepted: known.accepted + 1,
    keepAlive: known.keepAlive === true && requestObject(exchange)['keepAlive'] === true ? true : null,
    outcome: null,
    refusal: null,
    refusesBusy: known.refusesBusy === true,
    tookTwo: known.tookTwo || (isPair && known.hasTask && known.states.length > 1),
  };
}

function notAccepted(known: SessionKnowledge, moment: Moment, possible: string[]): SessionKnowledge {
  const { exchange, word } = moment;
  // 404, 405 and 501 concern the operation; other statuses concern cost, rights and load. A refusal of a follow-up with
  // a variant may concern its level.
  const isAnswer = refused(exchange) && ![404, 405].includes(exchange.status);
  if (!isAnswer || (exchange.status !== 409 && isCapacity(exchange.status)) || word !== 'follow') return known;
  const others = possible.filter((state) => state !== 'idle');
  const refusesBusy = known.last?.status === 'running' ? null : false;
  return {
    ...known,
    states: others,
    refusal: describeMoment(moment),
    refusesBusy: known.refusesBusy === true ? true : refusesBusy,
  };
}

function looked(known: SessionKnowledge, moment: Moment, rules: Rules): Outcome<SessionKnowledge> {
  const { shown } = moment;
  if (shown === undefined || shown.phase === 'unknown') return { state: known };
  const possible = reachable(known);
  if (!possible.has(shown.status)) return stepViolation(known, moment, [...possible]);
  const next = observed(known, shown);
  return (
    (rules.beyond ? (outcomeViolation(known, moment) ?? pairViolation(next, moment)) : undefined) ?? { state: next }
  );
}

function stepViolation(known: SessionKnowledge, moment: Moment, possible: string[]): { violation: Violation } {
  const status = moment.shown?.status ?? '';
  if (known.refusal !== null && status === 'idle' && known.last?.status === 'idle') {
    const message = `a follow-up to an idle session: ${known.refusal}, and it is still idle; expected that it takes a task`;
    return violationAt(moment, { rule: 'idle-refuses', isBeyond: false, message });
  }
  const before = known.last?.status ?? 'created';
  const message = `the session is ${status} after it was ${before}; expected ${possible.join(', ') || 'nothing at all'}`;
  return violationAt(moment, { rule: `step-${before}-${status}`, isBeyond: false, message });
}

function observed(known: SessionKnowledge, shown: Shown): SessionKnowledge {
  const { status } = shown;
  const hasRun = known.hasRun || status === 'running' || hasCounted(known, shown);
  // The contract allows idle before a task runs, so idle alone is not the end of the task. Two accepted tasks may run
  // one after the other.
  const isDone = ends.includes(status) || (status === 'idle' && hasRun && !known.tookTwo);
  return {
    ...known,
    states: [status],
    hasRun,
    hasTask: known.hasTask && !isDone,
    isTaskStopping: known.isTaskStopping && status !== 'idle',
    outcome: status === 'idle' && isDone ? (known.outcome ?? shown) : known.outcome,
    refusal: null,
    refusesBusy: known.refusesBusy === null ? status === 'running' : known.refusesBusy,
  };
}

function hasCounted({ last, accepted: tasks }: SessionKnowledge, { counters }: Shown): boolean {
  const before = tasks === 1 ? 0 : last?.counters['stepCount'];
  return before !== undefined && (counters['stepCount'] ?? 0) > before;
}

function outcomeViolation(
  { outcome, hasTask }: SessionKnowledge,
  moment: Moment,
): { violation: Violation } | undefined {
  const { shown } = moment;
  if (outcome === null || hasTask || shown === undefined || shown.status !== 'idle') return undefined;
  const changed = changedMember(outcome, shown);
  if (changed === undefined) return undefined;
  const message = `${changed} has changed after the task had ended; expected that an outcome stays`;
  return violationAt(moment, { rule: 'outcome-changes', isBeyond: true, message });
}

function pairViolation(known: SessionKnowledge, moment: Moment): { violation: Violation } | undefined {
  if (!known.tookTwo || known.refusesBusy !== true) return undefined;
  const message =
    'two tasks that were sent at once were both accepted, though a busy session refuses one; expected one refusal';
  return violationAt(moment, { rule: 'took-two', isBeyond: true, message });
}

function late(known: SessionKnowledge, moment: Moment, rules: Rules): Outcome<SessionKnowledge> {
  if (!isStopIgnored(known.isStopping, moment, rules)) return { state: known };
  const message = `the session is ${moment.shown?.status ?? 'unknown'} after its stop was accepted; expected stopped`;
  return violationAt(moment, { rule: 'stop-ignored', isBeyond: false, message });
}
