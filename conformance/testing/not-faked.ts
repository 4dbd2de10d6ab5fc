/**
 * Areas whose checks the mutants of the fake service leave out: what goes beyond the contract, which it does not have, and
 * the scripts that are drawn. They are judged on the reference, and their mutants stand in test/mutants.
 */
export const notFaked: readonly string[] = [
  'answers',
  'laws-stateful',
  'interface',
  'account',
  'profiles',
  'workspaces',
  'files',
  'v2-sessions',
  'v2-task-views',
  'v3-session-views',
  'v3-messages',
  'v4-run-views',
  'v4-run-events',
  'v4-sessions',
  'v4-queue',
  'browser-views',
  'browser-clients',
  'v2-files',
  'shares',
  'purge',
  'secrets',
  'v4-attachments',
  'v4-run-members',
  'two-keys',
  'pages',
  'side-effects',
  'values',
  'addresses',
];
