/** Packages that come inside of the published one, by tools/package/bundle-prism.ts; the last one has types only. */
export const bundledPackages: ReadonlySet<string> = new Set([
  '@stoplight/prism-core',
  '@stoplight/prism-http',
  '@stoplight/types',
]);
