/** A forward proxy of the caller, which takes the place of the managed one. */
export interface CustomProxy {
  /** How it is spoken to: plain HTTP, HTTP over TLS, or SOCKS5. */
  readonly scheme: 'http' | 'https' | 'socks5';
  /** A host name or an IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
  readonly password: string | null;
  /** Whether certificates are accepted that nobody vouches for: the proxy's own, and those it shows for pages. */
  readonly ignoreCertErrors: boolean;
}
