import type { ComponentChildren, JSX } from 'preact';
import type { Polled } from '../api/hooks.ts';
import { type Page, hashOf } from '../place.ts';
import { FaultNotice } from './fault-notice.tsx';
import { Loading } from './loading.tsx';

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
