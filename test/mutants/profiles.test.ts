import { describeMutants } from './describe-mutants.ts';
import { profileMutants } from './table/profiles.ts';

describeMutants('servers whose profiles are not what the companion says', profileMutants);
