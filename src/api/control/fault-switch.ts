import type { BrowserHost } from '#browsers/host.ts';

/** A browser host whose starts can be made to fail. */
export interface FaultSwitch {
  readonly host: BrowserHost;
  readonly sandboxStart: 'fail' | null;
  setSandboxStart(fault: 'fail' | null): void;
}

/** Wraps a host; without a fault it is the host. */
export function createFaultSwitch(host: BrowserHost): FaultSwitch {
  let sandboxStart: 'fail' | null = null;
  return {
    get sandboxStart() {
      return sandboxStart;
    },
    setSandboxStart(fault) {
      sandboxStart = fault;
    },
    host: {
      ...host,
      launch: (options) =>
        sandboxStart === 'fail'
          ? Promise.reject(new Error('injected fault: the sandbox does not start'))
          : host.launch(options),
    },
  };
}
