import { connectionAdvice, type Route, SuiteError, type SuiteErrorText } from '#conformance/index.ts';

/** Where a browser is, and how to get there. */
export interface Way {
  /** Its websocket URL, ws: or wss:, which grants control of the browser. */
  readonly away: URL;
  readonly route: Route;
}

/** Why nothing comes through a tunnel. The address itself is a secret and never shown; its host is. */
export class TunnelFault extends SuiteError {
  /** Whether the address will never lead to a browser again. */
  readonly isFinal: boolean;

  constructor(text: SuiteErrorText, isFinal = false) {
    super('unreachable', text);
    this.name = 'TunnelFault';
    this.isFinal = isFinal;
  }
}

/** The service refused a connection with that HTTP status. */
export function refusedBy({ host }: URL, status: number): TunnelFault {
  if (status === 404)
    return new TunnelFault(
      {
        found: `that ${host} has no browser at this address (404)`,
        expected: 'the address of a browser that was not stopped',
        next: 'use the whole cdpUrl of an active browser',
      },
      true,
    );
  return new TunnelFault({
    found: `that ${host} answered ${status} to a connection`,
    expected: 'a browser that can be connected to',
    next: status >= 500 ? 'try again: the browser could not be started' : 'see that this is a cdpUrl, as it was given',
  });
}

/** Returns the fault of a host that could not be reached, or whose connection ended, with the cause. */
export function unreachable(address: URL, error: Error & { readonly code?: string }): TunnelFault {
  const { host } = address;
  return new TunnelFault({
    found: `no connection to ${host} (${error.code ?? error.message})`,
    expected: 'a service that answers',
    next:
      connectionAdvice(address, `${error.code} ${error.message}`) ??
      'see that it runs, and give --proxy or --ca where they are needed',
  });
}

/** Returns the fault of a browser that accepts a connection but does not answer `method` in time. */
export function silent({ host }: URL, method: string): TunnelFault {
  return new TunnelFault({
    found: `no answer of the browser at ${host} to ${method}`,
    expected: 'one within a minute',
    next: 'stop the browser and create another',
  });
}
