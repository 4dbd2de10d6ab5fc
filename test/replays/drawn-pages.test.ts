import { expect, it } from 'vitest';
import { checkDrawnPages, checkUnchangedPages } from './drawn-pages.ts';

// The proof draws 10,000 (`npm run long -- replays`).
const options = { seed: 20_261_126, runs: 1_000 };

it('uses no other element than the recorded one on a drifted page', async () => {
  const { used, refused } = await checkDrawnPages(options);
  expect(used).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
});

it('finds every recorded element again on a page without drift', async () => {
  await expect(checkUnchangedPages(options)).resolves.toBeUndefined();
});
