import type { JSX } from 'preact';
import { useModal } from '../parts/use-modal.ts';

/** A picture as large as the window lets it be; Escape, the button and a click beside it close it. */
export function PictureDialog(props: {
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
