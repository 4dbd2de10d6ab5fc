import type { ComponentChildren, JSX } from 'preact';
import type { Polled } from '../api/polling.ts';
import { type Page, getHash, pages } from '../place.ts';
import { ReadingState } from './facts.tsx';
import { useEffect, useState } from 'preact/hooks';

/** An entry of a list in the console. */
export interface Card {
  readonly id: string;
  readonly title: string;
  /** Second line of the entry. */
  readonly line: ComponentChildren;
}

/** Options of a list of selectable entries. */
export interface CardListProps {
  readonly page: Page;
  /** Accessible name of the list. */
  readonly name: string;
  /** undefined before the first response. */
  readonly cards: readonly Card[] | undefined;
  readonly chosen: string | null;
  readonly fault: Polled<unknown>['fault'];
  /** Content of an empty list. */
  readonly children: ComponentChildren;
}

/** List of linked entries of one kind, the newest first. */
export function CardList({ page, name, cards, chosen, fault, children }: CardListProps): JSX.Element {
  return (
    <>
      <ReadingState of={cards} fault={fault} />
      {cards?.length === 0 && children}
      <ul class="cards" aria-label={name}>
        {cards?.map(({ id, title, line }) => (
          <li key={id}>
            <a href={getHash({ page, id })} aria-current={id === chosen ? 'true' : undefined}>
              <span class="card-title">{title}</span>
              <span class="card-line">{line}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Header of a column: a text, an element, or an object with the text for a column of numbers. */
export type Column = string | JSX.Element | { readonly number: string };

/** Head of a table. */
export function TableHead({ columns }: { readonly columns: readonly Column[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map((column, index) =>
          typeof column === 'object' && 'number' in column ? (
            <th key={index} scope="col" class="number">
              {column.number}
            </th>
          ) : (
            <th key={index} scope="col">
              {column}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

/** Options of a table of records. */
export interface RecordTableProps {
  /** Accessible name of the table. */
  readonly name: string;
  readonly columns: readonly Column[];
  /** Rows; each ends with a cell for actions. */
  readonly children: ComponentChildren;
}

/** Table of records with actions; on a narrow screen each record becomes a card. */
export function RecordTable({ name, columns, children }: RecordTableProps): JSX.Element {
  return (
    <div class="scroll">
      <table class="stack">
        <caption class="unseen">{name}</caption>
        <TableHead columns={[...columns, <span class="unseen">Actions</span>]} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Options of a list with details. */
export interface SplitProps {
  readonly page: Page;
  readonly isChosen: boolean;
  readonly list: ComponentChildren;
  readonly children: ComponentChildren;
}

/** List beside the details of the selected entry; on a narrow screen only the details with a back link. */
export function Split({ page, isChosen, list, children }: SplitProps): JSX.Element {
  return (
    <div class={isChosen ? 'split chosen' : 'split'}>
      <div class="split-list">{list}</div>
      <div class="split-detail">
        {isChosen && (
          <a class="back" href={getHash({ page, id: null })}>
            ‹ {pages[page]}
          </a>
        )}
        {children}
      </div>
    </div>
  );
}

/** Heading of a list with a link to create an entry; `verb` is null when entries cannot be created here. */
export function ListHead({ page, verb }: { readonly page: Page; readonly verb: string | null }): JSX.Element {
  return (
    <div class="head">
      <h1>{pages[page]}</h1>
      {verb !== null && (
        <a class="button primary" href={getHash({ page, id: 'new' })}>
          {verb}
        </a>
      )}
    </div>
  );
}

/** Position in a list with pages, and its search or filter. */
export interface Paging {
  /** Page number, from 1. */
  readonly page: number;
  /** Text or value of the search or filter; '' for all entries. */
  readonly wanted: string;
  readonly turnTo: (page: number) => void;
  /** Changes the search or filter and returns to the first page. */
  readonly choose: (wanted: string) => void;
}

/** Returns the position in a list with pages, and functions that change the position. */
export function usePaging(): Paging {
  const [{ page, wanted }, setPlace] = useState({ page: 1, wanted: '' });
  return {
    page,
    wanted,
    turnTo: (next) => setPlace({ page: next, wanted }),
    choose: (next) => setPlace({ page: 1, wanted: next }),
  };
}

/** Options of a pager. */
export interface PagerProps {
  /** Page number, from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** Buttons for the newer and the older page; nothing if there is only one page. */
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

/** Delay after the last key press before a search is sent, in milliseconds. */
const pauseMs = 250;

/** Search field of a list; calls `onSearch` with the trimmed text after a pause in typing. */
export function SearchField(props: { readonly label: string; readonly onSearch: (text: string) => void }): JSX.Element {
  const { label, onSearch } = props;
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
    // Only typed text sets the timer.
  }, [typed]);
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder="Search"
      maxLength={100}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** Content of an empty list: its purpose and the next step. */
export function EmptyState(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      <p>{props.children}</p>
    </div>
  );
}

/** Content of a list whose search or filter matches no entry. */
export function NothingMatches(): JSX.Element {
  return <EmptyState title="Nothing matches">Change the search or the filter.</EmptyState>;
}

/** Content beside a list without a selected entry. */
export function ChooseOne({ what }: { readonly what: string }): JSX.Element {
  return <p class="quiet choose">Choose {what} to see what it does and has done.</p>;
}
