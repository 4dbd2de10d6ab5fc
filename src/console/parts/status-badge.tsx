import type { JSX } from 'preact';

const tones: Readonly<Record<string, string>> = {
  completed: 'good',
  finished: 'good',
  active: 'good',
  idle: 'good',
  failed: 'bad',
  error: 'bad',
  expired: 'bad',
  revoked: 'bad',
  running: 'busy',
  started: 'busy',
  created: 'busy',
  queued: 'busy',
  dispatching: 'busy',
};

/** A state as a word; its colour says the same. */
export function StatusBadge({ status }: { readonly status: string }): JSX.Element {
  return <span class={`badge ${tones[status] ?? 'plain'}`}>{status.replaceAll('_', ' ')}</span>;
}
