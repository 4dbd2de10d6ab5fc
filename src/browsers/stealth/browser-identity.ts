import type { JsonObject } from '#lib/json.ts';

/** Browser identity that pages see: that of the browser itself, without signs of the headless mode. */
export interface BrowserIdentity {
  readonly userAgent: string;
  /** User agent client hints, in the format of `Emulation.UserAgentMetadata` of the DevTools protocol. */
  readonly userAgentMetadata: JsonObject;
  /** Accepted languages in order of preference, without weights. The browser derives the Accept-Language header. */
  readonly acceptLanguage: string;
}

/** The machine that the browser runs on. */
export interface Machine {
  /** Value of `process.platform`. */
  readonly platform: string;
  /** Value of `process.arch`. */
  readonly arch: string;
}

/**
 * Names of operating systems, by `process.platform`. The name in the user agent is the same for all versions of a
 * system; client hints use another name.
 */
const systems: Readonly<Record<string, { readonly inUserAgent: string; readonly inHints: string }>> = {
  linux: { inUserAgent: 'X11; Linux x86_64', inHints: 'Linux' },
  darwin: { inUserAgent: 'Macintosh; Intel Mac OS X 10_15_7', inHints: 'macOS' },
};

// oxlint-disable-next-line regexp/no-super-linear-backtracking -- it reads one line that the browser's own program prints
const versionPattern = /^(?<name>.*?)\s*(?<version>\d+\.\d+\.\d+\.\d+)/;
/** Name of the only product that has a brand beside that of Chromium. */
const chrome = 'Google Chrome';
const languages = 'en-US,en';

/**
 * Derives the browser identity from the output of `--version`. Returns null for an unknown version or operating system.
 * The browser then stays unmodified, because a partial identity would be more conspicuous.
 */
export function parseIdentity(said: string, { platform, arch }: Machine): BrowserIdentity | null {
  const { name = '', version } = versionPattern.exec(said)?.groups ?? {};
  const system = systems[platform];
  if (version === undefined || system === undefined) return null;
  const product = name.startsWith(chrome) ? chrome : null;
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
    acceptLanguage: languages,
  };
}

/** Returns the identity with another language (BCP 47); a null language leaves the identity unchanged. */
export function identityAt(identity: BrowserIdentity | null, language: string | null): BrowserIdentity | null {
  return identity === null || language === null ? identity : { ...identity, acceptLanguage: language };
}

/** One brand of the client hints. */
export interface Brand {
  readonly brand: string;
  readonly version: string;
}

/**
 * Separators in the name of the made-up brand (GREASE). Chromium lists such a brand in its client hints, so that
 * servers do not rely on a fixed list.
 */
const fillers = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
/** Possible versions of the made-up brand. */
const filledVersions = ['8', '99', '24'] as const;
/**
 * Possible positions of the made-up brand, of Chromium and of the product in the brand list. The major version of the
 * browser selects one row.
 */
const ordersOfThree = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/**
 * Options of a brand list of the client hints. With `full`, the list has complete versions (`153.0.8010.0`), else major
 * versions. `product` is null for plain Chromium.
 */
export interface BrandListOptions {
  /** Four numbers separated by dots. */
  readonly version: string;
  readonly product: string | null;
  readonly full: boolean;
}

/**
 * Returns the brands of the client hints in the order of Chromium (components/embedder_support/user_agent_utils.cc). A
 * different order would reveal a modified browser.
 */
export function brandList({ version, product, full }: BrandListOptions): Brand[] {
  const major = Number.parseInt(version, 10);
  const shown = full ? version : String(major);
  const filled = filledVersions[major % filledVersions.length] ?? '';
  const madeUp = { brand: `Not${filler(major)}A${filler(major + 1)}Brand`, version: full ? `${filled}.0.0.0` : filled };
  const brands = [madeUp, { brand: 'Chromium', version: shown }];
  if (product !== null) brands.push({ brand: product, version: shown });
  const order = product === null ? [major % 2, (major + 1) % 2] : (ordersOfThree[major % ordersOfThree.length] ?? []);
  return brands
    .map((brand, index) => ({ brand, place: order[index] ?? index }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ brand }) => brand);
}

function filler(seed: number): string {
  return fillers[seed % fillers.length] ?? '';
}
