import type { JSX } from 'preact';
import { ChooseOne } from '../parts/choose-one.tsx';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place/parse-place.ts';
import { V3Detail } from './v3-detail.tsx';
import { V3List } from './v3-list.tsx';

/** Sessions that programs of the third generation made. */
export function V3Page({ id }: Place): JSX.Element {
  return (
    <Split page="v3" isChosen={id !== null} list={<V3List chosen={id} />}>
      {id === null ? <ChooseOne what="a session" /> : <V3Detail key={id} id={id} />}
    </Split>
  );
}
