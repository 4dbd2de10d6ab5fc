import type { BrowserIdentity } from './browser-identity.ts';

/** What the flags depend on. */
export interface StealthOptions {
  /** Null or absent: nothing is hidden. */
  readonly identity?: BrowserIdentity | null;
  /** The window's size in CSS pixels. */
  readonly screen: { readonly width: number; readonly height: number };
}

/** The most common screen; a headless one has 800 by 600 pixels, which nobody has any more. */
const SCREEN = { width: 1920, height: 1080 };

/**
 * The marks that flags take away. They hold in every page, frame and worker of every client from the first request on, and
 * nothing in a page shows that they were set.
 */
export function stealthFlags({ identity = null, screen }: StealthOptions): string[] {
  if (identity === null) return [];
  const width = Math.max(SCREEN.width, screen.width);
  const height = Math.max(SCREEN.height, screen.height);
  const [language = ''] = identity.acceptLanguage.split(',', 1);
  return [
    // navigator.webdriver is false, as in every browser that a person uses.
    '--disable-blink-features=AutomationControlled',
    `--user-agent=${identity.userAgent}`,
    `--lang=${language}`,
    `--accept-lang=${identity.acceptLanguage}`,
    `--screen-info={${width}x${height}}`,
    // A mouse that can hover: a headless browser says that it has no pointer at all.
    '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  ];
}
