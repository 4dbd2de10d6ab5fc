import { describeMutants } from './describe-mutants.ts';
import { addressMutants } from './table/addresses.ts';

describeMutants('servers whose addresses open too much', addressMutants);
