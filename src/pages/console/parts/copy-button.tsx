import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';

/** Copies a text; where the browser does not let it, the text is said to be selected by hand. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const { say } = useSession();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied: ${what}`);
    } catch {
      // No clipboard without TLS: browsers give it to no other page.
      say(`The browser does not allow copying. Select the ${what} and copy it`);
    }
  };
  return (
    <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}
