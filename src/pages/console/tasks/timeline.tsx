import type { ComponentChildren, JSX } from 'preact';
import { FaultNotice } from '../parts/facts.tsx';
import { useModal, useOpener } from '../parts/dialogs.tsx';
import { useState } from 'preact/hooks';

/** One thing that happened. */
export interface Happening {
  readonly key: string | number;
  /** When, or which step it was. */
  readonly mark: ComponentChildren;
  /** How long it took, such as `2.1 s`, or null. */
  readonly lapse: string | null;
  readonly text: string;
  /** Address of the page, or null. */
  readonly url: string | null;
  /** Whether it is what people look for: a step of the agent, or what was asked of it. */
  readonly isMain: boolean;
  readonly shot: Shot | null;
}

/** What is shown over time. */
export interface TimelineProps {
  /** What it lists, for those who do not see it. */
  readonly name: string;
  readonly happenings: readonly Happening[];
  readonly fault: Error | null;
  /** What is new is read out while there is something new. */
  readonly isWorking: boolean;
}

/** What happened, in order, with its pictures. */
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

/** A picture as large as the window lets it be; Escape, the button and a click beside it close it. */
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

/** What a browser showed at some moment. */
export interface Shot {
  /** Signed for some minutes: a picture that is looked at later needs another one. */
  readonly address: string;
  /** What is to be seen, for those who do not see it. */
  readonly name: string;
  /** Asks for an address anew; null when there is none any more. */
  readonly renew: () => Promise<string | null>;
}

type State = 'first' | 'renewed' | 'gone';

/** A small picture, which is enlarged by a click. It keeps its address while others come with each answer, so that it is loaded once. */
function StepPicture({ address, name, renew }: Shot): JSX.Element {
  const [source, setSource] = useState(address);
  const [state, setState] = useState<State>('first');
  const [isLarge, setLarge] = useState(false);
  const button = useOpener(isLarge);
  if (state === 'gone') return <span class="quiet">The picture is no longer available.</span>;
  const onError = (): void => {
    if (state === 'renewed') return setState('gone');
    setState('renewed');
    renew().then(
      (fresh) => (fresh === null ? setState('gone') : setSource(fresh)),
      () => setState('gone'),
    );
  };
  return (
    <>
      <button ref={button} type="button" class="shot" aria-label={`Enlarge: ${name}`} onClick={() => setLarge(true)}>
        <img src={source} alt="" loading="lazy" onError={onError} onLoad={() => setState('first')} />
      </button>
      {isLarge && <PictureDialog address={source} name={name} onClose={() => setLarge(false)} />}
    </>
  );
}
