/** What speaks against an administrative command, as a sentence for whoever typed it. */
export class AdminFault extends Error {
  override readonly name = 'AdminFault';
}
