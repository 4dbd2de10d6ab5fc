/** A configuration that cannot be used, in a sentence that says what was found, what was expected, and where. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
