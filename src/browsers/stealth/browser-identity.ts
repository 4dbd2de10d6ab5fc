import type { JsonObject } from '#lib/json.ts';

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
 * Derives the browser identity from the output of `--version`; null for an unknown version or system, which stays
 * unmodified, because a partial identity is more conspicuous.
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

/** One entry of what a browser calls itself in its client hints. */
export interface Brand {
  readonly brand: string;
  readonly version: string;
}

/** Separators that Chromium uses in its random brand, so that servers cannot rely on a fixed list. */
const FILLERS = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
/** Versions of that brand. */
const FILLED_VERSIONS = ['8', '99', '24'] as const;
/** Where the made up brand, the engine and the product go, by the major version. */
const ORDERS_OF_THREE = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/** How a list is made: `full` gives whole versions (`153.0.8010.0`), else major ones; a browser without a product name is plain Chromium. */
export interface BrandListOptions {
  /** Four numbers with dots. */
  readonly version: string;
  readonly product: string | null;
  readonly full: boolean;
}

/**
 * The brands of a browser in the order in which Chromium itself lists them (components/embedder_support/user_agent_utils.cc):
 * an order that no browser of that version has would give it away.
 */
export function brandList({ version, product, full }: BrandListOptions): Brand[] {
  const major = Number.parseInt(version, 10);
  const shown = full ? version : String(major);
  const filled = FILLED_VERSIONS[major % FILLED_VERSIONS.length] ?? '';
  const madeUp = { brand: `Not${filler(major)}A${filler(major + 1)}Brand`, version: full ? `${filled}.0.0.0` : filled };
  const brands = [madeUp, { brand: 'Chromium', version: shown }];
  if (product !== null) brands.push({ brand: product, version: shown });
  const order =
    product === null ? [major % 2, (major + 1) % 2] : (ORDERS_OF_THREE[major % ORDERS_OF_THREE.length] ?? []);
  return brands
    .map((brand, index) => ({ brand, place: order[index] ?? index }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ brand }) => brand);
}

function filler(seed: number): string {
  return FILLERS[seed % FILLERS.length] ?? '';
}
