import { describeMutants } from './describe-mutants.ts';
import { authenticationMutants } from './table/authentication.ts';

describeMutants('servers that let in whom they should not', authenticationMutants);
