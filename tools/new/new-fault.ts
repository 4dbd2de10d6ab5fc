/** What speaks against making something, as a sentence for whoever typed it. */
export class NewFault extends Error {
  override readonly name = 'NewFault';
}
