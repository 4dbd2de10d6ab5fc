import type { JSX } from 'preact';

/** What is turned. */
export interface PagerProps {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** Turns pages; nothing where everything is on one. */
export function Pager({ page, pageSize, total, onPage }: PagerProps): JSX.Element | null {
  const last = Math.max(Math.ceil(total / pageSize), 1);
  if (last === 1 && page === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Newer
      </button>
      <span>
        Page {page} of {last}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Older
      </button>
    </nav>
  );
}
