import type { JSX } from 'preact';
import { ownPath } from '../format/own-path.ts';

/** The live view of a browser, which is a page of its own; its clipboard is the reader's only when he lets it. */
export function LiveFrame({ address, title }: { readonly address: string; readonly title: string }): JSX.Element {
  const path = ownPath(address, 2);
  return (
    <figure class="live">
      <iframe src={path} title={title} allow="clipboard-read; clipboard-write" />
      <figcaption>
        <a href={path} target="_blank" rel="noreferrer">
          Open in a new tab
        </a>
      </figcaption>
    </figure>
  );
}
