/** One entry of what a browser calls itself in its client hints. */
export interface Brand {
  readonly brand: string;
  readonly version: string;
}

/** What Chromium puts between the letters of a brand that does not exist, so that nobody relies on a fixed list. */
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
