import type { JSX } from 'preact';

const tones: Readonly<Record<string, string>> = {
  completed: 'good',
  active: 'good',
  failed: 'bad',
  expired: 'bad',
  revoked: 'bad',
  running: 'busy',
  queued: 'busy',
  dispatching: 'busy',
};

/** A state as a word; its colour says the same. */
export function StatusBadge({ status }: { readonly status: string }): JSX.Element {
  return <span class={`badge ${tones[status] ?? 'plain'}`}>{status}</span>;
}
