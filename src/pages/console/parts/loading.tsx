import type { JSX } from 'preact';

/** Grey lines in the place of what is being read; read out as a word. */
export function Loading({ rows = 3 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="loading">
      <span class="unseen">Loading…</span>
      {Array.from({ length: rows }, (_row, index) => (
        <span key={index} class="loading-row" />
      ))}
    </div>
  );
}
