import type { JSX } from 'preact';
import { ChooseOne } from '../parts/choose-one.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { V3Detail } from '../v3/v3-detail.tsx';

/** Sessions that programs of the third generation made. */
export function V3Page({ id }: Place): JSX.Element {
  const list = (
    <SessionList page="v3" generation="v3" verb={null} chosen={id}>
      <EmptyState title="No V3 sessions yet">
        Programs create sessions with POST /api/v3/sessions. You can watch and stop them here.
      </EmptyState>
    </SessionList>
  );
  return (
    <Split page="v3" isChosen={id !== null} list={list}>
      {id === null ? <ChooseOne what="a session" /> : <V3Detail key={id} id={id} />}
    </Split>
  );
}
