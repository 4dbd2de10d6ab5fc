import { runStatus } from '#generated/states.ts';
import type { Run, RunEvent } from '../api/types.ts';
import { lapses } from '../format.ts';
import type { FormValues } from '../parts/fields.tsx';

/** Returns whether a run with that status has not ended. */
export function isActive(status: string): boolean {
  const active: readonly string[] = [runStatus.queued, runStatus.dispatching, runStatus.running];
  return active.includes(status);
}

/** Returns the live view URL of a run from its events; null before its browser is ready. */
export function liveAddress(events: readonly RunEvent[]): string | null {
  const data = events.findLast(({ type }) => type === 'browser.ready')?.data;
  const address = data === undefined ? undefined : Reflect.get(data, 'live_view_url');
  return typeof address === 'string' && URL.canParse(address) ? address : null;
}

/** Returns the result of a run as text: structured output as formatted JSON; null without a result. */
export function resultText(run: Pick<Run, 'output' | 'outputSchema' | 'result'>): string | null {
  const { output, outputSchema, result } = run;
  if (outputSchema !== null && outputSchema !== undefined && output !== null && output !== undefined)
    return JSON.stringify(output, null, 2);
  return result ?? null;
}

/**
 * Returns the durations of the steps by event id. The first step starts at the latest `run.started` or `browser.ready`
 * before it; its duration is null without such an event.
 */
export function stepLapses(events: readonly RunEvent[]): ReadonlyMap<number, string | null> {
  const steps = events.filter(({ type }) => type === 'agent.step');
  const ready = events.findLast(({ type, id }) => readyTypes.has(type) && id < (steps[0]?.id ?? 0));
  const took = lapses(
    ready?.ts ?? null,
    steps.map(({ ts }) => ts),
  );
  return new Map(steps.map(({ id }, index) => [id, took[index] ?? null]));
}

const readyTypes: ReadonlySet<string> = new Set(['run.started', 'browser.ready']);

/** Text of an event, and the URL of its page. */
export interface EventWords {
  readonly text: string;
  /** URL of the page to which the event belongs; null without one. */
  readonly url: string | null;
}

const words: Readonly<Record<string, string>> = {
  'run.created': 'The task was accepted',
  'browser.ready': 'The browser is ready',
  'run.started': 'The agent begins to work',
  'run.completed': 'The task has ended',
  'run.failed': 'The task has failed',
  'run.cancelled': 'The task was stopped',
  'run.dispatch_failed': 'The browser did not start',
};

/** Returns the text of an event (its type for an unknown kind), and the URL of a step's page. */
export function eventWords({ type, data }: Pick<RunEvent, 'type' | 'data'>): EventWords {
  const text = (name: string): string => {
    const value: unknown = Reflect.get(data, name);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const url = text('url');
  const place = /^https?:/.test(url) ? url : null;
  if (type === 'agent.step') return { text: text('summary'), url: place };
  if (type === 'model.call')
    return { text: `Model: ${text('input_tokens')} tokens read, ${text('output_tokens')} written`, url: null };
  if (type === 'artifact.created') return { text: `File ${text('path')}`, url: null };
  if (type === 'mail.received') return { text: `Mail from ${text('from')}: ${text('subject')}`, url: null };
  if (type === 'run.judged')
    return { text: verdictWords(Reflect.get(data, 'verdict') === true, text('reasoning')), url: null };
  const reason = text('reason');
  const known = words[type] ?? type;
  return { text: reason === '' ? known : `${known}: ${reason}`, url: null };
}

function verdictWords(isAchieved: boolean, reasoning: string): string {
  const verdict = `The judge: ${isAchieved ? 'achieved' : 'not achieved'}`;
  return reasoning === '' ? verdict : `${verdict}. ${reasoning}`;
}

/** Returns the request body for a new run. Omits each optional member that the user has not selected in the form. */
export function wantedRun(values: FormValues): Readonly<Record<string, unknown>> {
  const [ceiling, country, profile] = [values.text('ceiling'), values.text('country'), values.text('profile')];
  const browserSettings = {
    ...(country === '' ? {} : { proxyCountryCode: country === 'none' ? null : country }),
    ...(profile === '' ? {} : { profileId: profile }),
    ...(values.isTicked('record') ? { record: true } : {}),
  };
  return {
    task: values.text('task'),
    model: values.text('model'),
    ...(ceiling === '' ? {} : { maxCostUsd: ceiling }),
    ...(values.isTicked('inbox') ? { inbox: true } : {}),
    ...(Object.keys(browserSettings).length === 0 ? {} : { browserSettings }),
  };
}
