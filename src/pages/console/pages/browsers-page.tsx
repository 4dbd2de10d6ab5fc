import type { JSX } from 'preact';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place.ts';
import { BrowserView } from './browser-view.tsx';
import { BrowserList } from '../browsers/browser-list.tsx';
import { NewBrowser } from '../browsers/new-browser.tsx';

/** Browsers for automation clients and for hands: those that there are, one of them, or a new one. */
export function BrowsersPage({ id }: Place): JSX.Element {
  return (
    <Split page="browsers" isChosen={id !== null} list={<BrowserList chosen={id} />}>
      {id === null || id === 'new' ? <NewBrowser /> : <BrowserView key={id} id={id} />}
    </Split>
  );
}
