/**
 * Returns the absolute path of the cache folder, for an unpacked Chromium and compiled code. Uses XDG_CACHE_HOME of
 * `environment`, except for root.
 */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string;
