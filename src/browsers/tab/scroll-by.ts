import type { ScrollDirection } from './tab.ts';

/*
 * This function runs inside the page: Playwright sends its source text, so it must be complete in itself and may use nothing of
 * this module. The interfaces describe the little of the document that it touches.
 */

interface ScrollableElement {
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly parentElement: ScrollableElement | null;
  readonly ownerDocument: { readonly scrollingElement: ScrollableElement | null };
  scrollBy(by: { left: number; top: number; behavior: 'instant' }): void;
}

declare function getComputedStyle(element: ScrollableElement): {
  readonly overflowX: string;
  readonly overflowY: string;
};

/** How far to scroll. */
export interface ScrollWay {
  /** Whether the page itself is meant, and not what holds the element. */
  readonly isPage: boolean;
  readonly direction: ScrollDirection;
  /** Heights or widths of what is scrolled. */
  readonly pages: number;
}

/** Scrolls the page, or the nearest element around the given one that can be scrolled that way. */
export function scrollBy(element: ScrollableElement, { isPage, direction, pages }: ScrollWay): void {
  const isVertical = direction === 'up' || direction === 'down';
  const canScroll = (one: ScrollableElement): boolean => {
    const { overflowX, overflowY } = getComputedStyle(one);
    const isLonger = isVertical ? one.scrollHeight > one.clientHeight : one.scrollWidth > one.clientWidth;
    return isLonger && /auto|scroll|overlay/.test(isVertical ? overflowY : overflowX);
  };
  let holder: ScrollableElement | null = isPage ? null : element;
  while (holder !== null && !canScroll(holder)) holder = holder.parentElement;
  const scrolled = holder ?? element.ownerDocument.scrollingElement;
  if (scrolled === null) return;
  const by = direction === 'up' || direction === 'left' ? -pages : pages;
  const way = isVertical ? { left: 0, top: by * scrolled.clientHeight } : { left: by * scrolled.clientWidth, top: 0 };
  scrolled.scrollBy({ ...way, behavior: 'instant' });
}
