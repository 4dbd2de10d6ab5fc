/** How a run reaches its target, where that is not the plain network. */
export interface NetworkOptions {
  /** Certificates in PEM of authorities to trust besides the known ones. Nothing ever switches verification off. */
  ca?: string;
  /** Forward proxy for everything that the run sends, `http://[user:password@]host:port` or `https://...`. */
  proxy?: string;
}
