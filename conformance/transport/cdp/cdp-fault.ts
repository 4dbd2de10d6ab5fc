/** An expected failure of a CDP call: refused, closed, or timed out. The message states what was observed. */
export class CdpFault extends Error {
  override readonly name = 'CdpFault';
}

const unknownCommand = 'the browser does not know the command';

/** Creates the fault for an error response of a browser. A recording keeps only the text. */
export function answeredFault(code: unknown, text: string): CdpFault {
  // JSON-RPC 2.0: the method does not exist.
  return new CdpFault(`${code === -32_601 ? unknownCommand : 'the browser answered'}: ${text}`);
}

/** Returns whether a fault is permanent: another attempt cannot succeed. */
export function isLasting(fault: string): boolean {
  return fault.startsWith(unknownCommand);
}
