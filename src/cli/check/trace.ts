import type { Exchange } from '#conformance/index.ts';

/** A body longer than this is cut: whoever needs it whole asks for a report. */
const bodyMax = 2_000;

/** An exchange as text: who sent it, the request after `>`, the answer after `<`. Its secrets are hidden already. */
export function traceText({ sentBy, operation, durationMs, request, status, headers, body, fault }: Exchange): string {
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), ...bodyLines(request.body ?? '')];
  const got =
    fault === undefined ? [String(status), ...headerLines(headers), ...bodyLines(body)] : [`no answer: ${fault}`];
  return [
    `* ${sentBy}: ${operation}, ${Math.round(durationMs)} ms`,
    ...sent.map((line) => `> ${line}`),
    ...got.map((line) => `< ${line}`),
    '',
  ].join('\n');
}

/** A text without what moves a cursor or changes a colour. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u{2028}\u{2029}]/gu, (character) => (character === '\n' ? character : '\u{fffd}'));
}

function headerLines(headers: Record<string, string>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function bodyLines(body: string): string[] {
  if (body === '') return [];
  return body.length <= bodyMax
    ? body.split('\n')
    : [...body.slice(0, bodyMax).split('\n'), `(${body.length} characters)`];
}
