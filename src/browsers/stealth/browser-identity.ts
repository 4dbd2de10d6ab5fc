import type { JsonObject } from '#lib/json.ts';
import { brandList } from './brand-list.ts';

/** What a browser says it is: what it is, without the word headless. */
export interface BrowserIdentity {
  readonly userAgent: string;
  /** Client hints, in the form of `Emulation.UserAgentMetadata` of the DevTools protocol. */
  readonly userAgentMetadata: JsonObject;
  /** What pages may be sent in, best first, without weights; the browser makes the header of it. */
  readonly acceptLanguage: string;
}

/** The machine that the browser runs on. */
export interface Machine {
  /** As `process.platform` says it. */
  readonly platform: string;
  /** As `process.arch` says it. */
  readonly arch: string;
}

/** How the systems that Chromium runs on are named in a user agent, which is the same on all their versions, and in hints. */
const SYSTEMS: Readonly<Record<string, { readonly inUserAgent: string; readonly inHints: string }>> = {
  linux: { inUserAgent: 'X11; Linux x86_64', inHints: 'Linux' },
  darwin: { inUserAgent: 'Macintosh; Intel Mac OS X 10_15_7', inHints: 'macOS' },
};

// oxlint-disable-next-line regexp/no-super-linear-backtracking -- it reads one line that the browser's own program prints
const VERSION = /^(?<name>.*?)\s*(?<version>\d+\.\d+\.\d+\.\d+)/;
/** The one product that puts a brand of its own beside Chromium's. */
const CHROME = 'Google Chrome';
const LANGUAGES = 'en-US,en';

/**
 * The identity of a browser from what it says to `--version`; null when that is no version, or the system is none that is known:
 * such a browser is left as it is, because half an identity shows more than none.
 */
export function identityOf(said: string, { platform, arch }: Machine): BrowserIdentity | null {
  const { name = '', version } = VERSION.exec(said)?.groups ?? {};
  const system = SYSTEMS[platform];
  if (version === undefined || system === undefined) return null;
  const product = name.startsWith(CHROME) ? CHROME : null;
  const brands = (full: boolean): JsonObject[] => brandList({ version, product, full }).map((brand) => ({ ...brand }));
  return {
    userAgent: `Mozilla/5.0 (${system.inUserAgent}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${Number.parseInt(version, 10)}.0.0.0 Safari/537.36`,
    userAgentMetadata: {
      brands: brands(false),
      fullVersionList: brands(true),
      fullVersion: version,
      platform: system.inHints,
      // What Chromium says on Linux.
      platformVersion: '',
      architecture: arch === 'arm64' ? 'arm' : 'x86',
      bitness: '64',
      model: '',
      mobile: false,
      wow64: false,
    },
    acceptLanguage: LANGUAGES,
  };
}

/** The identity of a browser that stands where another language is spoken (BCP 47); null leaves it as it is. */
export function identityAt(identity: BrowserIdentity | null, language: string | null): BrowserIdentity | null {
  return identity === null || language === null ? identity : { ...identity, acceptLanguage: language };
}
