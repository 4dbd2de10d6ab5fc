import { expect } from 'vitest';
import type { paths as V2 } from '#generated/v2.ts';
import type { paths as V3 } from '#generated/v3.ts';
import { ok } from './answers.ts';
import type { Script } from './world.ts';

/** Returns the type `One`. A use compiles only if `One` is assignable to `Other`. */
type Same<One extends Other, Other> = One;
type Shared = Same<Pick<V2, '/billing/account'>, Pick<V3, '/billing/account'>>;

/** Reads the billing account, which V2 and V3 share. */
export const billing: Script = async (world) => {
  const account = await ok(world.connect<Shared>().GET('/billing/account', {}));
  expect(account.totalCreditsBalanceUsd).toBeGreaterThan(0);
};
