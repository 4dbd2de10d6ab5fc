import { describeMutants } from './describe-mutants.ts';
import { browserViewMutants } from './table/browser-views.ts';
import { v4EventPageMutants, v4SessionMutants, v4ViewMutants } from './table/v4-interface.ts';
import { v4QueueMutants } from './table/v4-queue.ts';

describeMutants('servers whose V4 runs, sessions, messages and browsers are wrong beyond the contract', [
  ...v4ViewMutants,
  ...v4EventPageMutants,
  ...v4SessionMutants,
  ...v4QueueMutants,
  ...browserViewMutants,
]);
