import { refused, succeeded } from '../../core/exchange.ts';
import { isJsonObject, memberAt } from '../../core/json.ts';
import { type Violation, type Model, type Rules, isStopIgnored, violationAt } from './model.ts';
import type { Act, Moment } from './moment.ts';
import { type Known, nextKnowledge, nothingKnown, recordViolation } from './record-laws.ts';

/** State of the model of a V2 task or V4 run, derived from the responses. Its members are no members of the API. */
export interface JobKnowledge extends Known {
  isStopping: boolean;
  /**
   * True if the session has accepted another task while the last snapshot showed this task as working. Becomes false
   * when a snapshot shows the end of this task.
   */
  tookTwo: boolean;
  /**
   * Ids of other tasks of the session in the order in which snapshots showed them as working. An id occurs again after
   * another id; it is removed when a snapshot does not show its task as working.
   */
  beside: readonly string[];
  /** Ids of messages that were deleted. */
  takenBack: readonly string[];
}

const nothing: JobKnowledge = { ...nothingKnown, isStopping: false, tookTwo: false, beside: [], takenBack: [] };

/**
 * Creates the model of V2 tasks and V4 runs. The order of their states is not documented, but an end state is final.
 */
export function jobModel(rules: Rules): Model<JobKnowledge> {
  return {
    begin: nothing,
    step: (known, moment) => {
      const broken =
        recordViolation(known, moment, rules) ?? (rules.beyond ? jobViolation(known, moment, rules) : undefined);
      return broken ?? { state: { ...changed(known, moment), ...nextKnowledge(known, moment) } };
    },
  };
}

type Law = (known: JobKnowledge, moment: Moment, rules: Rules) => { violation: Violation } | undefined;

const laws: Readonly<Partial<Record<Act, Law>>> = {
  late: ({ isStopping }, moment, rules) =>
    isStopIgnored(isStopping, moment, rules) ? beyond(moment, 'stop-ignored', lateText(moment)) : undefined,
  queue: ({ takenBack }, moment) =>
    isConsumed(moment) && takenBack.includes(lastPart(moment))
      ? beyond(moment, 'taken-back-runs', 'a message that was taken back has become a run; expected that it never runs')
      : undefined,
  beside: (known, moment) =>
    areTwo(updateBeside(known, moment))
      ? beyond(moment, 'two-at-once', 'two tasks of one session work at once; expected the second to be refused')
      : undefined,
  look: readViolation,
};

function jobViolation(...[known, moment, rules]: Parameters<Law>): ReturnType<Law> {
  return laws[moment.act]?.(known, moment, rules);
}

function lateText({ shown }: Moment): string {
  return `it is ${shown?.status ?? 'unknown'} after its end was accepted; expected an end`;
}

function readViolation({ end, tookTwo }: JobKnowledge, moment: Moment): { violation: Violation } | undefined {
  const { act, shown } = moment;
  if (shown === undefined || shown.phase === 'unknown') return undefined;
  if (end !== null && shown.status !== end.status)
    return beyond(
      moment,
      'end-is-left',
      `it is ${shown.status} after it had ended as ${end.status}; expected that it stays`,
    );
  if (tookTwo && act === 'look' && shown.phase === 'open')
    return beyond(moment, 'took-two', 'a session whose task works has accepted another; expected a refusal');
  return undefined;
}

function beyond(moment: Moment, rule: string, message: string): { violation: Violation } {
  return violationAt(moment, { rule, isBeyond: true, message });
}

type Change = (known: JobKnowledge, moment: Moment) => Partial<JobKnowledge>;

const changes: Readonly<Partial<Record<Act, Change>>> = {
  stop: ({ isStopping }, { exchange }) => ({ isStopping: isStopping || !refused(exchange) }),
  // After an asynchronous stop the record may lag behind the service.
  dispatch: ({ tookTwo, last, isStopping }, { exchange }) => ({
    tookTwo: succeeded(exchange) && !isStopping ? last?.phase === 'open' : tookTwo,
  }),
  look: ({ tookTwo }, { shown }) => ({ tookTwo: tookTwo && shown?.phase !== 'over' }),
  beside: (known, moment) => ({ beside: updateBeside(known, moment) }),
  takeBack: ({ takenBack }, moment) =>
    succeeded(moment.exchange) ? { takenBack: [...takenBack, lastPart(moment)] } : {},
};

function changed(known: JobKnowledge, moment: Moment): JobKnowledge {
  return { ...known, ...changes[moment.act]?.(known, moment) };
}

function updateBeside({ beside }: JobKnowledge, moment: Moment): readonly string[] {
  const id = lastPart(moment);
  if (moment.shown?.phase !== 'open') return beside.filter((other) => other !== id);
  return beside.at(-1) === id ? beside : [...beside, id];
}

/** True if snapshots showed one task as running, then another task, and then the first task again. */
function areTwo(beside: readonly string[]): boolean {
  return beside.some((id, index) => id === beside[index + 2]);
}

/** Returns the last segment of the URL, which is the id. */
function lastPart({ exchange }: Moment): string {
  return new URL(exchange.request.url).pathname.split('/').at(-1) ?? '';
}

function isConsumed({ exchange }: Moment): boolean {
  const { json } = exchange;
  return isJsonObject(json) && (json['status'] === 'consumed' || typeof memberAt(json, 'runId') === 'string');
}
