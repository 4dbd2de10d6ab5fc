import type { ChromiumBinary } from '../chromium-binary.ts';
import type { Place } from '../exits/place.ts';
import { placeEnvironment } from '../exits/place-environment.ts';
import type { BrowserFolder } from './browser-folder.ts';

/** The only variable of ours that a browser may see; the others hold keys and passwords. */
const PASSED_ON = ['TZ'] as const;
/** Workers without a page take their language from here: it is that of the pages, not the one of the machine's operator. */
const LANGUAGE = 'en_US.UTF-8';

/** What the environment of one browser depends on. */
export interface ChildParts {
  readonly binary: ChromiumBinary;
  readonly folder: BrowserFolder;
  /** Where it stands. @defaultValue where this machine stands */
  readonly place?: Place | null;
}

/** The whole environment of one browser's processes. */
export function childEnvironment({ binary, folder, place = null }: ChildParts): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(passedOn),
    ...(place === null ? { LANG: LANGUAGE } : placeEnvironment(place)),
    HOME: folder.home,
    TMPDIR: folder.temporary,
    ...binary.environment,
  };
}
