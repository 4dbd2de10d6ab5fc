/*
 * Backups: what a service keeps, copied while it runs, and a data folder made of such a copy. Called by the command line, in a
 * process of its own beside the service: it must not change the database that it copies, nor bring its tables up to date.
 */
export { BackupFault } from './manifest.ts';
export { createBackup } from './create-backup.ts';
export type { Manifest } from './manifest.ts';
export { restoreBackup } from './restore-backup.ts';
