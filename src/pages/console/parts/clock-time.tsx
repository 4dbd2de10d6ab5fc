import type { JSX } from 'preact';
import { moment } from '../format.ts';

/** The time of day of a moment; its date stands in its title. */
export function ClockTime({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={moment(at)}>
      {new Date(at).toLocaleTimeString()}
    </time>
  );
}
