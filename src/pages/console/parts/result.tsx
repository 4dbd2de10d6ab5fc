import type { JSX } from 'preact';

/** What a task gave back; nothing where there is nothing. */
export function Result({ text }: { readonly text: string | null }): JSX.Element | null {
  if (text === null) return null;
  return (
    <>
      <h3>Result</h3>
      <pre class="result">{text}</pre>
    </>
  );
}
