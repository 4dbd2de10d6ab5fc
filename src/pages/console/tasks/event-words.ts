import type { RunEvent } from '../api/types.ts';

/** What an event says to people, and where it happened. */
export interface EventWords {
  readonly text: string;
  /** Address of the page, or null. */
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

/** An event in words; one of a kind that is not known by its name. */
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
