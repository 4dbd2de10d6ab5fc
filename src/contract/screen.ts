/** The sides of a browser's window that a request names, in CSS pixels; null leaves a side at its default. */
export interface Screen {
  readonly width: number | null;
  readonly height: number | null;
}

/** The screen of a request, null when it names no side. */
export function screenOf(width: number | null | undefined, height: number | null | undefined): Screen | null {
  const screen = { width: width ?? null, height: height ?? null };
  return screen.width === null && screen.height === null ? null : screen;
}

/** What `proxyCountryCode` means when a request leaves it out (companion 4.5, 6.2, 7.2.1). */
export const defaultProxyCountry = 'us';

/** The window of a browser whose request names no size, in CSS pixels. */
export const defaultScreen = { width: 1280, height: 800 } as const;

/** What most browsers are started with: requests that name nothing. */
export const defaultLaunch = { screen: defaultScreen, proxyCountryCode: defaultProxyCountry } as const;
