import { operations } from '#generated/operations.ts';

/** Method and path of every operation of the three generations. */
export const recordedRoutes: readonly { readonly method: string; readonly path: string }[] = operations.map(
  ({ version, method, path }) => ({ method: method.toUpperCase(), path: `/api/${version}${path}` }),
);
