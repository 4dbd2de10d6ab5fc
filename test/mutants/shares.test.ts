import { describeMutants } from './describe-mutants.ts';
import { secretMutants } from './table/secrets.ts';
import { shareMutants } from './table/shares.ts';
import { v2FileMutants } from './table/v2-files.ts';

describeMutants('servers whose V2 files, public shares, purges and secrets are wrong', [
  ...v2FileMutants,
  ...shareMutants,
  ...secretMutants,
]);
