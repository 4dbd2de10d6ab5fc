import type { JSX } from 'preact';
import { type Page, hashOf, pages } from '../place.ts';

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
