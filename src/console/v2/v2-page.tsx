import type { JSX } from 'preact';
import { ChooseOne } from '../parts/choose-one.tsx';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place/parse-place.ts';
import { V2Detail } from './v2-detail.tsx';
import { V2List } from './v2-list.tsx';

/** Sessions that programs of the second generation made, or their tasks opened for themselves. */
export function V2Page({ id }: Place): JSX.Element {
  return (
    <Split page="v2" isChosen={id !== null} list={<V2List chosen={id} />}>
      {id === null ? <ChooseOne what="a session" /> : <V2Detail key={id} id={id} />}
    </Split>
  );
}
