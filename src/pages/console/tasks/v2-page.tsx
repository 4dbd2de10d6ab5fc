import type { JSX } from 'preact';
import { ChooseOne } from '../parts/choose-one.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { V2Detail } from '../v2/v2-detail.tsx';

/** Sessions that programs of the second generation made, or their tasks opened for themselves. */
export function V2Page({ id }: Place): JSX.Element {
  const list = (
    <SessionList page="v2" generation="v2" verb={null} chosen={id}>
      <EmptyState title="No V2 sessions yet">
        Programs create sessions with POST /api/v2/tasks. You can watch and stop them here.
      </EmptyState>
    </SessionList>
  );
  return (
    <Split page="v2" isChosen={id !== null} list={list}>
      {id === null ? <ChooseOne what="a session" /> : <V2Detail key={id} id={id} />}
    </Split>
  );
}
