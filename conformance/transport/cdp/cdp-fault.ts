/** An expected failure of a CDP call: refused, closed, or timed out. The message states what was observed. */
export class CdpFault extends Error {
  override readonly name = 'CdpFault';
}

const unknownCommand = 'the browser does not know the command';

/**
 * Creates the fault for an error response of a browser. The text of the fault also shows whether the browser knows the
 * command, because a recording stores only this text.
 */
export function answeredFault(code: unknown, text: string): CdpFault {
  // JSON-RPC 2.0: the method does not exist.
  return new CdpFault(`${code === -32_601 ? unknownCommand : 'the browser answered'}: ${text}`);
}

/** Returns true for the fault of a command that the browser does not know. Another attempt cannot succeed. */
export function isLasting(fault: string): boolean {
  return fault.startsWith(unknownCommand);
}
