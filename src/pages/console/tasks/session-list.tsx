import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleSession } from '#contract/console-messages.ts';
import { runSpan } from '../format.ts';
import { type Card, CardList } from '../parts/lists.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type Page, pages } from '../place.ts';
import { ListFilter } from '../sessions/list-filter.tsx';
import { type Generation, type Selection, useSessionList } from '../sessions/use-session-list.ts';

/** A list of the sessions of a generation. */
export interface SessionListProps {
  readonly page: Page;
  readonly generation: Generation;
  /** The button for a new one; null where none is made here. */
  readonly verb: string | null;
  readonly chosen: string | null;
  /** What stands where nothing is yet. */
  readonly children: ComponentChildren;
}

const everything: Selection = { search: '', outcome: '' };

/** Sessions, the newest first, with a search and a filter by the outcome of their latest tasks. */
export function SessionList({ page, generation, verb, chosen, children }: SessionListProps): JSX.Element {
  const [selection, setSelection] = useState(everything);
  const { listed, fault, more } = useSessionList(generation, selection);
  const isSelecting = selection !== everything;
  const isEmpty = listed?.sessions.length === 0;
  return (
    <>
      <ListHead page={page} verb={verb} />
      {(isSelecting || !isEmpty) && (
        <ListFilter selection={selection} onChange={(next) => setSelection(isAll(next) ? everything : next)} />
      )}
      <CardList page={page} name={pages[page]} cards={listed?.sessions.map(cardOf)} chosen={chosen} fault={fault}>
        {isSelecting ? <EmptyState title="Nothing matches">Change the search or the filter.</EmptyState> : children}
      </CardList>
      {more !== null && (
        <button type="button" class="wide" onClick={more}>
          Show older
        </button>
      )}
    </>
  );
}

function isAll({ search, outcome }: Selection): boolean {
  return search === '' && outcome === '';
}

function cardOf({ id, name, status, outcome, reason, createdAt, ...times }: ConsoleSession): Card {
  const took = runSpan(times);
  return {
    id,
    title: name ?? 'No task yet',
    line: (
      <>
        <StatusBadge status={status} outcome={outcome} reason={reason} />
        <span class="times">
          <TimeAgo at={createdAt} />
          {took !== null && <span>{times.endedAt === null ? ` · for ${took}` : ` · took ${took}`}</span>}
        </span>
      </>
    ),
  };
}
