import type { JSX } from 'preact';
import { ago, moment } from '../format.ts';

/** How long ago a moment was; the moment itself stands in its title. */
export function TimeAgo({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, Date.now())}
    </time>
  );
}
