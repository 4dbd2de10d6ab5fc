import type { JSX } from 'preact';
import type { V2Session } from '../api/types.ts';
import { usdOfMicros, usdOfText } from '../format/money.ts';
import { ownPath } from '../format/own-path.ts';
import { Facts } from '../parts/facts.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

/** What is known of a V2 session; what its tasks have cost stands with them. */
export function V2Facts(props: {
  readonly session: V2Session;
  /** Cost of all of it; undefined before it is known. */
  readonly totalMicros: number | undefined;
}): JSX.Element {
  const { session, totalMicros } = props;
  const { finishedAt, publicShareUrl } = session;
  return (
    <Facts
      rows={[
        ['Session', session.status],
        ['Started', <TimeAgo at={session.startedAt} />],
        ['Ended', finishedAt && <TimeAgo at={finishedAt} />],
        ['Tasks', String(session.tasks.length)],
        ['After a task', session.keepAlive ? 'it waits for the next' : 'it ends'],
        ['Cost', totalMicros === undefined ? null : usdOfMicros(totalMicros)],
        ['For the proxy', usdOfText(session.proxyCost)],
        ['Shared', publicShareUrl && <a href={ownPath(publicShareUrl, 2)}>Public page</a>],
        ['Id', <span class="mono">{session.id}</span>],
      ]}
    />
  );
}
