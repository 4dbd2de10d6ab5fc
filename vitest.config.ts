import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'conformance/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    globalSetup: ['test/guard-node.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes at once on an idle machine; a busy one is no fault.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
