/** Absolute path of the folder that holds what we unpack and compile. The environment is asked for XDG_CACHE_HOME. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string;
