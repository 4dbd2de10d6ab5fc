import type { JsonObject } from '#lib/json.ts';

/** The identity that a browser reports: its own, without the word "headless". */
export interface BrowserIdentity {
  readonly userAgent: string;
  /** Client hints, in the form of `Emulation.UserAgentMetadata` of the DevTools protocol. */
  readonly userAgentMetadata: JsonObject;
  /** Accepted languages, best first, without weights; the browser derives the header. */
  readonly acceptLanguage: string;
}

/** The machine that the browser runs on. */
export interface Machine {
  /** Value of `process.platform`. */
  readonly platform: string;
  /** Value of `process.arch`. */
  readonly arch: string;
}

/** Names of operating systems in the user agent (equal for all their versions) and in client hints. */
const SYSTEMS: Readonly<Record<string, { readonly inUserAgent: string; readonly inHints: string }>> = {
  linux: { inUserAgent: 'X11; Linux x86_64', inHints: 'Linux' },
  darwin: { inUserAgent: 'Macintosh; Intel Mac OS X 10_15_7', inHints: 'macOS' },
};

// oxlint-disable-next-line regexp/no-super-linear-backtracking -- it reads one line that the browser's own program prints
const VERSION = /^(?<name>.*?)\s*(?<version>\d+\.\d+\.\d+\.\d+)/;
/** The only product with a brand of its own beside Chromium's. */
const CHROME = 'Google Chrome';
const LANGUAGES = 'en-US,en';

/**
 * Derives the browser identity from the output of `--version`. Returns null for an unknown version or system. Such a
 * browser stays unmodified, because a partial identity is more conspicuous.
 */
export function parseIdentity(said: string, { platform, arch }: Machine): BrowserIdentity | null {
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
      // Chromium reports an empty version on Linux.
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

/** Returns an identity with the language of a location (BCP 47); null keeps the language. */
export function identityAt(identity: BrowserIdentity | null, language: string | null): BrowserIdentity | null {
  return identity === null || language === null ? identity : { ...identity, acceptLanguage: language };
}

/** One brand of the client hints. */
export interface Brand {
  readonly brand: string;
  readonly version: string;
}

/** Separators that Chromium uses in its random brand, so that servers cannot rely on a fixed list. */
const FILLERS = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
/** Versions of the random brand. */
const FILLED_VERSIONS = ['8', '99', '24'] as const;
/** Positions of the random brand, the engine and the product, by major version. */
const ORDERS_OF_THREE = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/**
 * Options of a brand list: `full` lists complete versions (`153.0.8010.0`), else major versions. Without a product the
 * browser is plain Chromium.
 */
export interface BrandListOptions {
  /** Four numbers separated by dots. */
  readonly version: string;
  readonly product: string | null;
  readonly full: boolean;
}

/**
 * Returns the brands in the order of Chromium itself (components/embedder_support/user_agent_utils.cc), because a
 * different order would reveal a modified browser.
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
