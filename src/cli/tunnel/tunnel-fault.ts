import { connectionAdvice, type Route, SuiteError, type SuiteErrorText } from '#conformance/index.ts';

/** The URL of a browser and the network route to it. */
export interface BrowserTarget {
  /** Websocket URL of the browser, which grants control of the browser; for a discovery request, an http(s) URL. */
  readonly away: URL;
  readonly route: Route;
}

/** Thrown when a tunnel cannot reach its browser. Its messages show the host only, because the URL is secret. */
export class TunnelFault extends SuiteError {
  /** Whether the browser can never be reached again. */
  readonly isFinal: boolean;

  constructor(text: SuiteErrorText, isFinal = false) {
    super('unreachable', text);
    this.name = 'TunnelFault';
    this.isFinal = isFinal;
  }
}

/** Returns the fault of a connection that the service refused with an HTTP status; final for 404. */
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
