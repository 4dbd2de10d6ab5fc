import { defineConfig } from 'vitest/config';

/** npm run test:parts: what needs a package of the system beside the packages of npm. A missing one fails, it is never skipped. */
export default defineConfig({
  test: {
    include: ['test/parts/**/*.parts.ts'],
    globalSetup: ['test/guard-node.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
