import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { providers } from './generated/rules.ts';
import { cacheFolder } from './src/browsers/launch/cache-folder.mjs';
import { LongestFirst } from './test/order/longest-first.ts';
import { parts } from './test/parts/system-part.ts';

/** A service that a test starts calls no provider with a key of the environment. */
const withoutProviderKeys = Object.fromEntries(providers.providers.map(({ keyVariable }) => [keyVariable, '']));

const shared = {
  globalSetup: ['test/guard-node.ts', 'test/own-temporary-folder.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Node loads the sources as it does for `svc`. Rewritten for the module runner of vite they took a quarter more time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

/** npm test: every test of a checkout. */
const main = {
  ...shared,
  include: ['src', 'conformance', 'tools', 'bench', 'proofs', 'test'].map((folder) => `${folder}/**/*.test.ts`),
  env: {
    ...withoutProviderKeys,
    // Tests start some hundred processes: each finds its code compiled from its first file on, where `svc` itself keeps it.
    NODE_COMPILE_CACHE: join(cacheFolder(process.env), 'compiled'),
    // The same browser on every machine; `--mode parts` tests that of the system.
    CHROMIUM_PATH: 'bundled',
  },
  // A polled condition holds at once on an idle machine; a busy machine is no fault.
  expect: { poll: { timeout: 60_000 } },
  // Modules keep no global state, so the test files of a worker share them: loading them again took a fifth of the time.
  isolate: false,
  // Twice the cores of a build server: tests wait for browsers, child processes and deadlines a third of their time.
  maxWorkers: 4,
  sequence: { sequencer: LongestFirst },
};

/** Tests that show in a few minutes how state is kept. */
const stateTests = [
  'accounts/keys',
  'reclaimed-recordings',
  'credit',
  'messages',
  'model-money',
  'profile-states',
  'profiles',
  'purge',
  'races',
  'retention',
  'runs',
  'sessions',
  'shares',
  'tenancy',
  'too-many',
  'totals',
  'v4-races',
  'v4-sessions',
  'workspaces',
];

/** Tests that start services in their own process, without Chromium. The others need no service, or read files of SQLite. */
const serviceTests = [
  ...stateTests,
  'access-matrix',
  'accounts/*',
  'admission',
  'browser-uploads',
  'browsers',
  'hostile-requests',
  'launch-settings',
  'mail',
  'many-sessions',
  'metrics',
  'opinions',
  'own-keys',
  'recordings',
  'request-rates',
  'tasks',
  'unknown-members',
  'upper-case-ids',
  'v2-files',
  'v2-sessions',
  'v4-files',
];

/** Names of tests that `--mode postgres` runs: a few in `npm run test:parts`, all in `npm run long -- postgres`. */
const postgresTests = process.env['SVC_POSTGRES'] === 'all' ? serviceTests : stateTests;

/** Tests of browsers that `--mode parts` repeats with the Chromium of Debian's package, which has windows and menus. */
const browserTests = ['browsers-policy', 'browsers-cdp', 'browser-downloads'];

/** Other sets of tests, each selected with `vitest run --mode NAME`. */
const modes: Readonly<Record<string, typeof main | object>> = {
  /** Needs packages of the system beside those of npm. A missing one fails; it is never skipped. */
  parts: {
    ...shared,
    include: ['test/parts/**/*.parts.ts', ...browserTests.map((name) => `test/${name}.test.ts`)],
    env: { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] ?? parts.chromium.path },
    expect: main.expect,
    maxWorkers: 3,
    sequence: main.sequence,
  },
  /** Runs tests of state on PostgreSQL. Needs Debian's package postgresql; a missing one fails. */
  postgres: {
    ...shared,
    include: postgresTests.map((name) => `test/${name}.test.ts`),
    env: withoutProviderKeys,
    globalSetup: [...shared.globalSetup, 'test/with-postgres.ts'],
    expect: main.expect,
    isolate: main.isolate,
    maxWorkers: 3,
  },
  /** Needs Python and its package playwright, which no package of npm or Debian provides; .ci/run does not run it. */
  python: { ...shared, include: ['test/drivers/*.python.ts'], env: main.env },
  /** Does the work of every transaction twice: its effects outside of the database must permit a repetition. */
  rehearsal: {
    ...main,
    setupFiles: ['test/support/rehearse-transactions.ts'],
    // Only the module runner replaces a module, as the setup file does.
    experimental: {},
    isolate: true,
    // It opens a transaction of its own.
    exclude: ['src/sessions/inactivity.test.ts'],
  },
};

export default defineConfig(({ mode }) => ({ test: modes[mode] ?? main }));
