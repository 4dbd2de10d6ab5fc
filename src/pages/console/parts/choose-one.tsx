import type { JSX } from 'preact';

/** What stands beside a list of which nothing is chosen yet. */
export function ChooseOne({ what }: { readonly what: string }): JSX.Element {
  return <p class="quiet choose">Choose {what} to see what it does and has done.</p>;
}
