import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { providers } from './generated/rules.ts';
import { cacheFolder } from './src/browsers/launch/cache-folder.mjs';
import { LongestFirst } from './test/order/longest-first.ts';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'conformance/**/*.test.ts',
      'tools/**/*.test.ts',
      'bench/**/*.test.ts',
      'proofs/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    env: {
      // A service that a test starts asks no provider in the name of whoever runs the tests.
      ...Object.fromEntries(providers.providers.map(({ keyVariable }) => [keyVariable, ''])),
      // Tests start some hundred processes: each finds its code compiled from its first file on, where `svc` itself keeps it.
      NODE_COMPILE_CACHE: join(cacheFolder(process.env), 'compiled'),
    },
    globalSetup: ['test/guard-node.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes at once on an idle machine; a busy one is no fault.
    expect: { poll: { timeout: 20_000 } },
    // Modules keep no state (there is none that is global), so test files of a worker share them: loading them anew took a fifth of the time.
    isolate: false,
    // One more than the cores that are meant: browsers and child processes are waited for much of the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
