/** Requested size of a browser window in CSS pixels. Null stands for the default width or height. */
export interface Screen {
  readonly width: number | null;
  readonly height: number | null;
}

/** Returns the requested size; null when the request names neither width nor height. */
export function readScreen(width: number | null | undefined, height: number | null | undefined): Screen | null {
  const screen = { width: width ?? null, height: height ?? null };
  return screen.width === null && screen.height === null ? null : screen;
}

/** Default of `proxyCountryCode` (companion 4.5, 6.2, 7.2.1). */
export const defaultProxyCountry = 'us';

/** Default window size in CSS pixels. */
export const defaultScreen = { width: 1280, height: 800 } as const;

/** Launch options of a request without options, the most frequent case. */
export const defaultLaunch = { screen: defaultScreen, proxyCountryCode: defaultProxyCountry } as const;
