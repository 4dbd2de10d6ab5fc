/*
 * This function runs inside the page: Playwright sends its source text, so it must be complete in itself and may use nothing of
 * this module. The interface describes the little of an element that it touches.
 */

interface ReadableElement {
  readonly value?: unknown;
  readonly type?: string;
  readonly innerText?: string;
  readonly textContent: string | null;
}

/** What a field holds, else the visible text of an element, at most 100,000 characters; nothing of a password field. */
export function readElement(element: ReadableElement): string {
  if (element.type === 'password') return '';
  const shown = element.innerText ?? element.textContent ?? '';
  const text = typeof element.value === 'string' && shown === '' ? element.value : shown;
  return text.slice(0, 100_000);
}
