import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useOpener } from '../parts/use-modal.ts';
import { PictureDialog } from './picture-dialog.tsx';

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
export function StepPicture({ address, name, renew }: Shot): JSX.Element {
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
