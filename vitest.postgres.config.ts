import { defineConfig } from 'vitest/config';
import { providers } from './generated/rules.ts';

/** What shows how state is kept, in few minutes. */
const chosen = [
  'accounts/keys',
  'buried-recordings',
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

/** What starts services in this process, without Chromium; the rest needs none of its own or reads files of SQLite. */
const all = [
  ...chosen,
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

/**
 * Tests that run on SQLite in `npm test`, on PostgreSQL: the chosen ones in `npm run test:parts`, all of them in `npm run long -- postgres`.
 * Needs Debian's package postgresql; a missing one fails.
 */
export default defineConfig({
  test: {
    include: (process.env['SVC_POSTGRES'] === 'all' ? all : chosen).map((name) => `test/${name}.test.ts`),
    env: Object.fromEntries(providers.providers.map(({ keyVariable }) => [keyVariable, ''])),
    globalSetup: ['test/guard-node.ts', 'test/with-postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
