import type { ComponentChildren, JSX } from 'preact';
import { FaultNotice } from '../parts/facts.tsx';
import { useModal, useOpener } from '../parts/dialogs.tsx';
import { useState } from 'preact/hooks';

/** An entry of a timeline: a step or event with its screenshot. */
export interface Happening {
  readonly key: string | number;
  /** Time or number of the step. */
  readonly mark: ComponentChildren;
  /** Duration such as `2.1 s`, or null. */
  readonly lapse: string | null;
  readonly text: string;
  /** URL of the page, or null. */
  readonly url: string | null;
  /** Whether the entry is a step of the agent or a request of the user. */
  readonly isMain: boolean;
  readonly shot: Shot | null;
}

/** Options of a timeline. */
export interface TimelineProps {
  /** Accessible name of the timeline. */
  readonly name: string;
  readonly happenings: readonly Happening[];
  readonly fault: Error | null;
  /** Whether new entries are announced to screen readers. */
  readonly isWorking: boolean;
}

/** Entries in order with their screenshots. */
export function Timeline({ name, happenings, fault, isWorking }: TimelineProps): JSX.Element {
  return (
    <>
      <FaultNotice fault={fault} />
      <ol class="events" aria-live={isWorking ? 'polite' : 'off'} aria-label={name}>
        {happenings.map(({ key, mark, lapse, text, url, isMain, shot }) => (
          <li key={key} class={isMain ? 'step' : ''}>
            <span class="mark">
              {mark}
              {lapse !== null && <span class="lapse">took {lapse}</span>}
            </span>
            <div>
              {text}
              {url !== null && <span class="url">{url}</span>}
              {shot !== null && <StepPicture {...shot} />}
            </div>
          </li>
        ))}
      </ol>
      {happenings.length === 0 && fault === null && <p class="quiet">No events yet.</p>}
    </>
  );
}

/**
 * Dialog with a screenshot in the size of the window. Escape, the button or a click beside the screenshot closes the
 * dialog.
 */
function PictureDialog(props: {
  readonly address: string;
  readonly name: string;
  readonly onClose: () => void;
}): JSX.Element {
  const { address, name, onClose } = props;
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      class="picture"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <figure>
        <img src={address} alt={name} />
        <figcaption>
          <span>{name}</span>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </figcaption>
      </figure>
    </dialog>
  );
}

/** A screenshot. */
export interface Shot {
  /** Signed URL, valid for some minutes; a later view needs a new one. */
  readonly address: string;
  /** Accessible name of the screenshot. */
  readonly name: string;
  /** Requests a new URL; null when the screenshot no longer exists. */
  readonly renew: () => Promise<string | null>;
}

/** State of a thumbnail; `gone` when the picture no longer exists. */
type State = 'first' | 'renewing' | 'renewed' | 'failed' | 'gone';

/**
 * A thumbnail that a click enlarges. The thumbnail keeps its first URL while responses bring new URLs, so that the
 * picture is loaded once.
 */
function StepPicture({ address, name, renew }: Shot): JSX.Element | null {
  const [source, setSource] = useState(address);
  const [state, setState] = useState<State>('first');
  const [isLarge, setLarge] = useState(false);
  const button = useOpener(isLarge);
  const load = (): void => {
    setState('renewing');
    renew().then(
      (fresh) => {
        setSource(fresh ?? source);
        setState(fresh === null ? 'gone' : 'renewed');
      },
      () => setState('failed'),
    );
  };
  if (state === 'gone') return <span class="quiet">The picture is no longer available.</span>;
  if (state === 'renewing') return null;
  if (state === 'failed')
    return (
      <span class="quiet">
        The picture could not be loaded.{' '}
        <button type="button" onClick={load}>
          Load the picture
        </button>
      </span>
    );
  const onError = (): void => (state === 'renewed' ? setState('failed') : load());
  return (
    <>
      <button ref={button} type="button" class="shot" aria-label={`Enlarge: ${name}`} onClick={() => setLarge(true)}>
        <img src={source} alt="" loading="lazy" onError={onError} onLoad={() => setState('first')} />
      </button>
      {isLarge && <PictureDialog address={source} name={name} onClose={() => setLarge(false)} />}
    </>
  );
}
