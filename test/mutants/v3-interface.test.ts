import { describeMutants } from './describe-mutants.ts';
import { v3MessageMutants, v3ViewMutants } from './table/v3-interface.ts';

describeMutants('servers whose V3 sessions and messages are wrong beyond the contract', [
  ...v3ViewMutants,
  ...v3MessageMutants,
]);
