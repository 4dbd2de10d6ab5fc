/** What `proxyCountryCode` means when a request leaves it out (companion 4.5, 6.2, 7.2.1). */
export const defaultProxyCountry = 'us';

/** The window of a browser whose request names no size, in CSS pixels. */
export const defaultScreen = { width: 1280, height: 800 } as const;

/** What most browsers are started with: requests that name nothing. */
export const defaultLaunch = { screen: defaultScreen, proxyCountryCode: defaultProxyCountry } as const;
