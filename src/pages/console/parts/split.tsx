import type { ComponentChildren, JSX } from 'preact';
import { type Page, hashOf, pages } from '../place.ts';

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
