/** A host and a port. */
export interface Place {
  host: string;
  port: number;
}

/** Splits `host:port`; the host of an IPv6 address may stand in brackets. */
export function placeOf(listen: string): Place {
  const at = listen.lastIndexOf(':');
  return { host: listen.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(listen.slice(at + 1)) };
}

/** Returns the URL at which this machine reaches a listener at that place. */
export function addressOf({ host, port }: Place): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}
