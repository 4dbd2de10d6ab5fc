/** What speaks against a backup or its restoration, as a sentence for whoever asked for it. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}
