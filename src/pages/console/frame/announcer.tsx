import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const shownMs = 6_000;

/** What was just done. */
export interface Said {
  readonly text: string;
  /** Number of texts so far. */
  readonly count: number;
}

/** What was just done, for a while, in the bar, where it covers nothing; read out by screen readers. `count` tells two equal texts apart. */
export function Announcer({ said }: { readonly said: Said }): JSX.Element {
  const [gone, setGone] = useState(0);
  useEffect(() => {
    if (said.count === 0) return undefined;
    const timer = setTimeout(() => setGone(said.count), shownMs);
    return () => clearTimeout(timer);
  }, [said.count]);
  const isShown = said.count > gone;
  return (
    <div class="announcer" role="status" aria-live="polite">
      {isShown && (
        <p key={said.count} title={said.text}>
          {said.text}
        </p>
      )}
    </div>
  );
}
