import type { Exchange } from './exchange.ts';

/** Returns a shell line that repeats the request of an exchange; keys are shell variables. */
export function curlLine({ request }: Pick<Exchange, 'request'>): string {
  const { method, url, headers, body } = request;
  const parts = ['curl -i', method === 'GET' ? '' : `-X ${method}`, quote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${quote(body)}`);
  return parts.filter((part) => part !== '').join(' ');
}

// Double quotes let the shell expand a placeholder; all other text has single quotes.
function quote(text: string): string {
  if (/\$(SERVICE|SVC_OTHER)_API_KEY/.test(text) && !/["`\\]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
