import { describeMutants } from './describe-mutants.ts';
import { browserProfileMutants } from './table/browser-profiles.ts';

describeMutants('servers whose profiles keep too little or too much', browserProfileMutants);
