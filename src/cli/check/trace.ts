import type { Exchange } from '#conformance/index.ts';

/** A body longer than this is cut: whoever needs it whole asks for a report. */
const bodyMax = 2_000;

/** An exchange as text: who sent it, the request after `>`, the answer after `<`. Its secrets are hidden already. The text is as the target has
 * sent it: {@link printError} makes it safe. */
export function traceText({ sentBy, operation, durationMs, request, status, headers, body, fault }: Exchange): string {
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), ...bodyLines(request.body ?? '')];
  const got = fault === undefined ? [String(status)] : [`no answer: ${fault}`];
  got.push(...headerLines(headers), ...bodyLines(body));
  return [
    `* ${sentBy}: ${operation}, ${Math.round(durationMs)} ms`,
    ...sent.map((line) => `> ${line}`),
    ...got.map((line) => `< ${line}`),
    '',
  ].join('\n');
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
