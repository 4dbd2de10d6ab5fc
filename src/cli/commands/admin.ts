import { Command } from 'commander';
import { backupCommand, restoreCommand } from '../admin/backup-command.ts';
import { sweepCommand } from '../admin/sweep-command.ts';
import { keyCommand, loginLinkCommand, providerKeyCommand } from '../admin/key-command.ts';
import { scheduleCommand } from '../admin/schedule-command.ts';
import { projectCommand } from '../admin/project-command.ts';

/** Creates `svc admin`: commands with which an operator manages the data of a service, also while the service runs. */
export function adminCommand(): Command {
  return new Command('admin')
    .description('Manage projects, keys and data of a service on this machine, also while it runs.')
    .addCommand(projectCommand())
    .addCommand(keyCommand())
    .addCommand(scheduleCommand())
    .addCommand(loginLinkCommand())
    .addCommand(providerKeyCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(sweepCommand());
}
