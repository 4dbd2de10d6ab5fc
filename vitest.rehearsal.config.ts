import { defineConfig, mergeConfig } from 'vitest/config';
import shared from './vitest.config.ts';

/** The tests of state again, with the work of every transaction done twice: what it does outside of the database must bear that. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      setupFiles: ['test/support/rehearse-transactions.ts'],
      isolate: true,
      // It has a transaction of its own as its stage.
      exclude: ['src/sessions/inactivity.test.ts'],
    },
  }),
);
