import { describeMutants } from './describe-mutants.ts';
import { workspaceMutants } from './table/workspaces.ts';

describeMutants('servers whose workspaces are not what the companion says', workspaceMutants);
