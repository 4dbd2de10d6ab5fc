import { inject } from 'vitest';

/** Test set-up: services that a test starts keep their state on PostgreSQL. */
process.env['SVC_TEST_DATABASE'] = inject('postgres');
