/** An expected end of a CDP call: refused, closed, or nothing within its time. The message says what was seen. */
export class CdpFault extends Error {
  override readonly name = 'CdpFault';
}
