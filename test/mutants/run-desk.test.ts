import { describeMutants } from './describe-mutants.ts';
import { attachmentMutants, runMemberMutants } from './table/run-desk.ts';

describeMutants('servers whose V4 runs do not do what they were asked for', [
  ...attachmentMutants,
  ...runMemberMutants,
]);
