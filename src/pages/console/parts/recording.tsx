import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ownPath } from '../format.ts';

/** A video by its signed address. */
interface RecordingProps {
  /** Another one with each answer: the player keeps the one that it has begun with, and takes the latest when that is refused. */
  readonly address: string;
  /** What it shows, for those who do not see it. */
  readonly name: string;
}

/** A player for what was recorded of a browser; the video has no sound. */
function Recording({ address, name }: RecordingProps): JSX.Element {
  const latest = ownPath(address, 2);
  const [source, setSource] = useState(latest);
  return (
    <figure class="recording">
      <video
        controls
        muted
        playsInline
        preload="metadata"
        src={source}
        aria-label={name}
        onError={() => setSource(latest)}
      />
      <figcaption>
        <a href={latest} download={`${fileOf(latest)}.webm`}>
          Save the video
        </a>
      </figcaption>
    </figure>
  );
}

/** The videos of something with a heading; nothing where there is none. */
export function Recordings({ addresses }: { readonly addresses: readonly string[] }): JSX.Element | null {
  if (addresses.length === 0) return null;
  return (
    <>
      <h3>{addresses.length === 1 ? 'Recording' : 'Recordings'}</h3>
      {addresses.map((address, index) => (
        <Recording
          key={fileOf(ownPath(address, 2))}
          address={address}
          name={addresses.length === 1 ? 'Recording' : `Recording ${index + 1} of ${addresses.length}`}
        />
      ))}
    </>
  );
}

/** The id of a recording, which stays while its addresses change. */
function fileOf(path: string): string {
  return /^recordings\/([^?]+)/.exec(path)?.[1] ?? path;
}

/** The live view of a browser, which is a page of its own; its clipboard is the reader's only when he lets it. */
export function LiveFrame({ address, title }: { readonly address: string; readonly title: string }): JSX.Element {
  const path = ownPath(address, 2);
  return (
    <figure class="live">
      <iframe src={path} title={title} allow="clipboard-read; clipboard-write" />
      <figcaption>
        <a href={path} target="_blank" rel="noreferrer">
          Open in a new tab
        </a>
      </figcaption>
    </figure>
  );
}
