import { describeMutants } from './describe-mutants.ts';
import { fileMutants } from './table/files.ts';

describeMutants('servers whose files are not what the companion says', fileMutants);
