import { describeMutants } from './describe-mutants.ts';
import { v2SessionMutants, v2ViewMutants } from './table/v2-interface.ts';

describeMutants('servers whose V2 sessions and tasks are wrong beyond the contract', [
  ...v2SessionMutants,
  ...v2ViewMutants,
]);
