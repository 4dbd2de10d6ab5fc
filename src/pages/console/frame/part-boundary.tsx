import type { ComponentChildren, JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

/** Shows one part of the console; an exception in it is shown in its place, and the bar and the menu go on. */
export function PartBoundary({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [error, reset] = useErrorBoundary((thrown: unknown) => reportError(thrown));
  if (error === undefined) return <>{children}</>;
  return (
    <section class="card" role="alert">
      <h1>This part cannot be shown</h1>
      <p class="fault">{error instanceof Error ? error.message : String(error)}</p>
      <p>The other parts still work. Report this message and your last steps to the operator.</p>
      <button type="button" onClick={reset}>
        Try again
      </button>
    </section>
  );
}
