import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const shownMs = 6_000;

/** What was just done, for a while, and read out to those who listen. `count` tells two equal sayings apart. */
export function Announcer({ said }: { readonly said: { readonly text: string; readonly count: number } }): JSX.Element {
  const [gone, setGone] = useState(0);
  useEffect(() => {
    if (said.count === 0) return undefined;
    const timer = setTimeout(() => setGone(said.count), shownMs);
    return () => clearTimeout(timer);
  }, [said.count]);
  const isShown = said.count > gone;
  return (
    <div class="announcer" role="status" aria-live="polite">
      {isShown && <p key={said.count}>{said.text}</p>}
    </div>
  );
}
