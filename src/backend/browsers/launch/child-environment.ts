import type { ChromiumBinary } from '../find-chromium.ts';
import type { BrowserFolder } from './browser-folder.ts';

/** The only variable of ours that a browser may see; the others hold keys and passwords. */
const PASSED_ON = ['TZ'] as const;
/** Workers without a page take their language from here: it is that of the pages, not the one of the machine's operator. */
const LANGUAGE = 'en_US.UTF-8';

/** The whole environment of one browser's processes. */
export function childEnvironment(binary: ChromiumBinary, folder: BrowserFolder): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(passedOn),
    LANG: LANGUAGE,
    HOME: folder.home,
    TMPDIR: folder.temporary,
    ...binary.environment,
  };
}
