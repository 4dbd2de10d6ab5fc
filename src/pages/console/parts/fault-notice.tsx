import type { JSX } from 'preact';

/** Why something did not work, said at once; nothing where there is no fault. */
export function FaultNotice({ fault }: { readonly fault: Error | null }): JSX.Element | null {
  return fault === null ? null : (
    <p class="fault" role="alert">
      {fault.message}
    </p>
  );
}
