/*
 * These functions run inside the page: Playwright sends their source text, so each must be complete in itself and may use
 * nothing of this module. They answer which of the elements, by their places among them, stand for different things.
 */

interface PageElement {
  readonly href?: string;
  closest(selector: string): PageElement | null;
  contains(other: PageElement): boolean;
  matches(selector: string): boolean;
}

/** Elements that a click can mean: a cell around a link is the link, and links to one address are one. */
export function distinctTargets(elements: readonly PageElement[]): number[] {
  const seen = new Set<string>();
  return elements.flatMap((element, place) => {
    if (elements.some((other) => other !== element && element.contains(other))) return [];
    const address = element.closest('a[href]')?.href ?? '';
    if (address !== '' && seen.has(address)) return [];
    seen.add(address);
    return [place];
  });
}

/** Fields that can be filled. Where a label names none of them, it is the first of what it names that refuses to be filled. */
export function distinctFields(elements: readonly PageElement[]): number[] {
  const noText = ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'];
  const input = `input${noText.map((type) => `:not([type=${type}])`).join('')}`;
  const filled = `${input}, textarea, select, [contenteditable], [role=textbox], [role=searchbox], [role=combobox]`;
  const places = Array.from(elements.keys());
  const fields = places.filter((place) => elements[place]?.matches(filled) === true);
  return fields.length > 0 ? fields : places.slice(0, 1);
}
