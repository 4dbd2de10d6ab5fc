import type { Browser } from '../api/types.ts';
import { minute } from '../format.ts';

/** Returns what a browser is called: its label `name`, else by the time at which it was started. */
export function browserName({ metadata, startedAt }: Pick<Browser, 'metadata' | 'startedAt'>): string {
  const label = metadata?.['name'];
  return label ? label : `Browser of ${minute(startedAt)}`;
}
