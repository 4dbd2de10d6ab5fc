import { type Markup, type Part, html } from './markup.ts';

/** A section of the page. */
export interface Section {
  id: string;
  title: Part;
  /** True if the section is expanded at first. @defaultValue false */
  open?: boolean;
}

/** Renders a section with its title, collapsed until a reader or a link expands it. */
export function foldedSection({ id, title, open = false }: Section, body: Part): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><details class="part"${open ? html` open` : undefined}>
<summary><h2 id="${id}-title">${title}</h2></summary>
${body}
</details></section>`;
}
