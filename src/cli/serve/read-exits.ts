import { readFile } from 'node:fs/promises';
import type { ExitOptions, ProxyTable } from '#backend/browsers/index.ts';
import type { RuleBook } from '#domain/rule-book.ts';

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
  const { parseProxies } = await import('#backend/browsers/exits/parse-proxies.ts');
  const codes = rules.countries.countries.map(({ code }) => code);
  return parseProxies({ text: await textOf(file), name: file, environment: process.env, codes });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new Error(`found no file of proxies at ${file} (${String(error.code)})`, { cause: error });
  }
}
