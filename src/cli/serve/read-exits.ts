import type { ExitOptions, ProxyTable } from '#browsers/index.ts';
import { readYamlFile } from '#conformance/core/data-file.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** What `svc serve` is told of the ways out. */
export interface ExitFlags {
  /** The file of proxies by country, or null for none. */
  readonly proxies: string | null;
  /** Whether a country without a proxy is refused. */
  readonly requireProxy: boolean;
}

/** The ways out that the flags name. Throws an Error that begins with `found` for a file that cannot be used. */
export async function readExits(
  { proxies: file, requireProxy: required }: ExitFlags,
  rules: RuleBook,
): Promise<ExitOptions> {
  const proxies = file === null ? new Map() : await proxiesOf(file, rules);
  return { countries: rules.countries, proxies, required };
}

async function proxiesOf(file: string, rules: RuleBook): Promise<ProxyTable> {
  const { parseProxies } = await import('#browsers/egress/proxy-file.ts');
  const codes = rules.countries.countries.map(({ code }) => code);
  return parseProxies({ file: readYamlFile(file, proxiesUse), environment: process.env, codes });
}

const proxiesUse = {
  expected: 'proxies by country, as YAML',
  next: 'correct the file of --proxies; docs/guides/proxies.md describes it',
  holdsSecrets: true,
};
