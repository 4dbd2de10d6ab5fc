/** Wrong usage of `npm run new`. The message is a sentence for the user. */
export class NewFault extends Error {
  override readonly name = 'NewFault';
}
