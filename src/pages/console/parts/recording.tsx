import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ownPath } from '../format.ts';

/** A video with its signed URL. */
interface RecordingProps {
  /**
   * Signed URL, new with each response. The player keeps its first URL, and changes to the latest URL when the first is
   * refused.
   */
  readonly address: string;
  /** Accessible name of the video. */
  readonly name: string;
}

/** Player for the recording of a browser; the video has no sound. */
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
        <a href={latest} download={`${getFile(latest)}.webm`}>
          Save the video
        </a>
      </figcaption>
    </figure>
  );
}

/** Recordings with a heading; nothing without any. */
export function Recordings({ addresses }: { readonly addresses: readonly string[] }): JSX.Element | null {
  if (addresses.length === 0) return null;
  return (
    <>
      <h3>{addresses.length === 1 ? 'Recording' : 'Recordings'}</h3>
      {addresses.map((address, index) => (
        <Recording
          key={getFile(ownPath(address, 2))}
          address={address}
          name={addresses.length === 1 ? 'Recording' : `Recording ${index + 1} of ${addresses.length}`}
        />
      ))}
    </>
  );
}

/** Returns the id of a recording, which stays equal while its URLs change. */
function getFile(path: string): string {
  return /^recordings\/([^?]+)/.exec(path)?.[1] ?? path;
}

/** Live view of a browser as an embedded page; it can use the clipboard only with the user's permission. */
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
