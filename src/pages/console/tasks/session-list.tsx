import type { ComponentChildren, JSX } from 'preact';
import { useState, useEffect, useRef } from 'preact/hooks';
import {
  type ConsoleSession,
  consoleOutcomes,
  type ConsoleOutcome,
  type ConsoleSessions,
} from '#contract/console-messages.ts';
import { runSpan } from '../format.ts';
import { type Card, CardList, ListHead, NothingMatches, SearchField } from '../parts/lists.tsx';
import { StatusBadge, TimeAgo } from '../parts/facts.tsx';
import { type Page, pages } from '../place.ts';
import { useSession } from '../api/hooks.ts';
import { useListPoll } from '../api/polling.ts';

/** Options of a list of sessions. */
export interface SessionListProps {
  readonly page: Page;
  readonly generation: Generation;
  /** Label of the link for a new session; null when sessions cannot be created here. */
  readonly verb: string | null;
  readonly chosen: string | null;
  /** Content of an empty list. */
  readonly children: ComponentChildren;
}

const everything: Selection = { search: '', outcome: '' };

/** List of sessions, the newest first, with a search and a filter by the outcome of their latest task. */
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
      <CardList page={page} name={pages[page]} cards={listed?.sessions.map(getCard)} chosen={chosen} fault={fault}>
        {isSelecting ? <NothingMatches /> : children}
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

function getCard({ id, name, status, outcome, reason, createdAt, ...times }: ConsoleSession): Card {
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

const words: Readonly<Record<(typeof consoleOutcomes)[number], string>> = {
  open: 'Working',
  achieved: 'Achieved',
  missed: 'Goal not achieved',
  stopped: 'Stopped',
  crashed: 'Failed',
};

/** Search field and filter by outcome. */
function ListFilter(props: {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
}): JSX.Element {
  const { selection, onChange } = props;
  return (
    <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField
        label="Search by title, task or id"
        onSearch={(search) => search !== selection.search && onChange({ ...selection, search })}
      />
      <select
        aria-label="Outcome"
        value={selection.outcome}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ ...selection, outcome: consoleOutcomes.find((outcome) => outcome === value) ?? '' });
        }}
      >
        <option value="">All outcomes</option>
        {consoleOutcomes.map((outcome) => (
          <option key={outcome} value={outcome}>
            {words[outcome]}
          </option>
        ))}
      </select>
    </form>
  );
}

const everyMs = 4_000;
const pageSize = 30;
/** Maximum number of listed sessions: a multiple of `pageSize` within the maximum of the service. */
const sizeMax = 480;

/** A generation of the API whose sessions are listed. */
export type Generation = 'v2' | 'v3' | 'v4';

/** Search and filter of a list. */
export interface Selection {
  readonly search: string;
  readonly outcome: ConsoleOutcome | '';
}

/** The sessions of a list. */
export interface SessionListing {
  /**
   * undefined before the first response. Rows of the previous selection stay until the rows of a new selection arrive.
   */
  readonly listed: ConsoleSessions | undefined;
  readonly fault: Error | null;
  /** Adds older sessions to the list; null when no further session can be listed. */
  readonly more: (() => void) | null;
}

/** Reads the newest matching sessions of a generation repeatedly while they are shown. */
function useSessionList(generation: Generation, { search, outcome }: Selection): SessionListing {
  const { api } = useSession();
  const [size, setSize] = useState(pageSize);
  const query = new URLSearchParams({ generation, limit: String(size) });
  if (search !== '') query.set('search', search);
  if (outcome !== '') query.set('outcome', outcome);
  const path = `console/api/sessions?${query.toString()}`;
  const { value, fault } = useListPoll(path, () => api.call<ConsoleSessions>('GET', path), everyMs);
  const last = useRef(value);
  useEffect(() => {
    if (value !== undefined) last.current = value;
  }, [value]);
  const listed = value ?? last.current;
  const hasMore = listed?.hasMore === true && size < sizeMax;
  return { listed, fault, more: hasMore ? () => setSize(size + pageSize) : null };
}
