import type { ComponentChildren, JSX } from 'preact';

/** What stands where nothing is yet: what it is for, and what to do next. */
export function EmptyState(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      <p>{props.children}</p>
    </div>
  );
}
