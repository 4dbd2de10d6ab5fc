import type { ComponentChildren, JSX } from 'preact';
import type { Polled } from '../api/hooks.ts';
import { type Page, hashOf, pages } from '../place.ts';
import { FaultNotice, Loading } from './facts.tsx';
import { useEffect, useState } from 'preact/hooks';

/** One thing of a list. */
export interface Card {
  readonly id: string;
  readonly title: string;
  /** What else is said of it. */
  readonly line: ComponentChildren;
}

/** A list of things that can be chosen. */
export interface CardListProps {
  readonly page: Page;
  /** What the things are called, for those who do not see them. */
  readonly name: string;
  /** undefined before the first answer. */
  readonly cards: readonly Card[] | undefined;
  readonly chosen: string | null;
  readonly fault: Polled<unknown>['fault'];
  /** What stands where nothing is yet. */
  readonly children: ComponentChildren;
}

/** Things of one kind, the newest first, each a way to itself. */
export function CardList({ page, name, cards, chosen, fault, children }: CardListProps): JSX.Element {
  return (
    <>
      <FaultNotice fault={fault} />
      {cards === undefined && fault === null && <Loading />}
      {cards?.length === 0 && children}
      <ul class="cards" aria-label={name}>
        {cards?.map(({ id, title, line }) => (
          <li key={id}>
            <a href={hashOf({ page, id })} aria-current={id === chosen ? 'true' : undefined}>
              <span class="card-title">{title}</span>
              <span class="card-line">{line}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A column by its name, or one of numbers. */
export type Column = string | { readonly number: string };

/** A table of records. */
export interface RecordTableProps {
  /** What it lists, for those who do not see it. */
  readonly name: string;
  readonly columns: readonly Column[];
  /** Its rows; each ends with a cell for what can be done. */
  readonly children: ComponentChildren;
}

/** A table of records with what can be done to each; on a narrow screen each record stands by itself. */
export function RecordTable({ name, columns, children }: RecordTableProps): JSX.Element {
  return (
    <div class="scroll">
      <table class="stack">
        <caption class="unseen">{name}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.number} scope="col" class="number">
                  {column.number}
                </th>
              ),
            )}
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A list and what is chosen of it. */
export interface SplitProps {
  readonly page: Page;
  readonly isChosen: boolean;
  readonly list: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The list beside what is chosen; where there is room for one of them, what is chosen, with a way back. */
export function Split({ page, isChosen, list, children }: SplitProps): JSX.Element {
  return (
    <div class={isChosen ? 'split chosen' : 'split'}>
      <div class="split-list">{list}</div>
      <div class="split-detail">
        {isChosen && (
          <a class="back" href={hashOf({ page, id: null })}>
            ‹ {pages[page]}
          </a>
        )}
        {children}
      </div>
    </div>
  );
}

/** The heading of a list with the way to a new one of its things; `verb` is null where none is made here. */
export function ListHead({ page, verb }: { readonly page: Page; readonly verb: string | null }): JSX.Element {
  return (
    <div class="head">
      <h1>{pages[page]}</h1>
      {verb !== null && (
        <a class="button primary" href={hashOf({ page, id: 'new' })}>
          {verb}
        </a>
      )}
    </div>
  );
}

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

/** Time without a key pressed before a search is sent. */
const pauseMs = 250;

/** A field to search a list with; calls `onSearch` with the trimmed text when nothing was typed for a moment. */
export function SearchField(props: { readonly label: string; readonly onSearch: (text: string) => void }): JSX.Element {
  const { label, onSearch } = props;
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
    // Only what is typed sets the timer.
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

/** What stands where nothing is yet: what it is for, and what to do next. */
export function EmptyState(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      <p>{props.children}</p>
    </div>
  );
}

/** What stands beside a list of which nothing is chosen yet. */
export function ChooseOne({ what }: { readonly what: string }): JSX.Element {
  return <p class="quiet choose">Choose {what} to see what it does and has done.</p>;
}
