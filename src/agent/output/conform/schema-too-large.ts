/** A schema asks for a value with too many parts. */
export class SchemaTooLarge extends Error {
  override readonly name = 'SchemaTooLarge';

  constructor() {
    super('the output schema asks for too large a value');
  }
}
