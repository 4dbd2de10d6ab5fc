import type { CustomProxy } from '../egress/custom-proxy.ts';
import type { Template } from './read-template.ts';

/** Who looks up the names of pages: this machine, whose addresses the proxy is then asked for, or the proxy. */
export type NamesAre = 'here' | 'there';

/** A forward proxy of the operator, as the file of proxies names it. */
export interface ProxyRow extends Pick<CustomProxy, 'scheme' | 'port' | 'ignoreCertErrors'> {
  readonly host: Template;
  readonly username: Template | null;
  readonly password: Template | null;
  readonly names: NamesAre;
}

/** How browsers of a country leave, by its code; `direct` is by this machine's own network. Other countries have no exit of their own. */
export type ProxyTable = ReadonlyMap<string, ProxyRow | 'direct'>;
