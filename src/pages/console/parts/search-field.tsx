import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Time without a key pressed before a search is sent. */
const pauseMs = 250;

/** A field to search a list with; calls `onSearch` with the trimmed text when nothing was typed for a moment. */
export function SearchField(props: { readonly label: string; readonly onSearch: (text: string) => void }): JSX.Element {
  const { label, onSearch } = props;
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
    // Only what is typed sets the timer.
  }, [typed]);
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder="Search"
      maxLength={100}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
