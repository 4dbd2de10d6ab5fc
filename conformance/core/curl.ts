import type { Exchange } from './exchange.ts';

/** A shell line that sends the request of an exchange again; keys stay variables of the shell. */
export function curlLine({ request }: Pick<Exchange, 'request'>): string {
  const { method, url, headers, body } = request;
  const parts = ['curl -i', method === 'GET' ? '' : `-X ${method}`, quote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${quote(body)}`);
  return parts.filter((part) => part !== '').join(' ');
}

// Double quotes where a placeholder has to be expanded by the shell, single quotes everywhere else.
function quote(text: string): string {
  if (/\$(SERVICE|SVC_OTHER)_API_KEY/.test(text) && !/["`\\]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
