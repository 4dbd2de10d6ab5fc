import { describeMutants } from './describe-mutants.ts';
import { historyMutants, identityMutants } from './table/histories.ts';

describeMutants('servers whose session records contradict each other', historyMutants);
describeMutants('servers that mix up what they have made', identityMutants);
