import { describeMutants } from './describe-mutants.ts';
import { parityMutants } from './table/parity.ts';
import { rareMutants } from './table/rare-values.ts';
import { endMutants, readBackMutants, timeMutants } from './table/values.ts';

describeMutants('servers that contradict themselves', [...readBackMutants, ...timeMutants, ...endMutants]);
describeMutants('servers that are wrong once in a while', rareMutants);
describeMutants('servers whose generations disagree', parityMutants);
