import { once } from 'node:events';
import { connect } from 'node:net';
import { isJsonObject, toText } from '#conformance/core/json.ts';
import type { Draw } from '../../draw.ts';
import type { EntryPoint, WatchedService } from '../watched-service.ts';
import { worstText } from '../worst-texts.ts';
import { openCalls } from './calls.ts';

const answerMs = 8000;
const mailMost = 5_200_000;

/** Entry points of the mail server. Every client that reaches the port can use these entry points. */
export const mails: readonly EntryPoint[] = [
  {
    name: 'mail',
    async open(service) {
      const send = openCalls(service);
      const made = await send({
        method: 'POST',
        path: '/api/v3/sessions',
        body: '{"keepAlive":true,"model":"svc-mini"}',
      });
      const address = /[\w.+-]+@inbox\.localhost/.exec(JSON.stringify(made.json))?.[0] ?? '';
      if (address === '')
        throw new Error(
          `expected a session with a mailbox, found ${toText(isJsonObject(made.json) ? made.json : null)}`,
        );
      return (draw) =>
        draw.chance(0.2)
          ? speak(service, getCommands(draw))
          : speak(service, [
              'EHLO a',
              'MAIL FROM:<a@b.example>',
              `RCPT TO:<${address}>`,
              'DATA',
              getMail(draw),
              'QUIT',
            ]);
    },
  },
];

/**
 * Sends lines, each after the previous response, and a terminating dot after a line with line breaks (DATA). Returns
 * the last response code except 221, or `closed` if no response arrives.
 */
async function speak({ mailPort }: WatchedService, lines: readonly string[]): Promise<string> {
  const socket = connect(mailPort, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => undefined);
  const timer = setTimeout(() => socket.destroy(), answerMs);
  const closed = once(socket, 'close');
  let code = 'closed';
  for (const [at, line] of ['', ...lines].entries()) {
    if (at > 0) socket.write(`${line}${line.includes('\r\n') ? '\r\n.\r\n' : '\r\n'}`);
    const [answer] = await Promise.race([once(socket, 'data'), closed]);
    if (typeof answer !== 'string') break;
    if (!answer.startsWith('221')) code = answer.slice(0, 3);
  }
  clearTimeout(timer);
  socket.destroy();
  return code;
}

function getCommands(draw: Draw): string[] {
  const text = worstText(draw, draw.of([500, 5000, 500_000])).replaceAll(/[\r\n]/g, ' ');
  return draw.of([
    [text],
    ['EHLO a', `MAIL FROM:<${text}>`],
    ['EHLO a', `MAIL FROM:<a@b.example> ${'A=B '.repeat(10_000)}`],
    [
      'EHLO a',
      'MAIL FROM:<a@b.example>',
      ...Array.from({ length: 200 }, () => `RCPT TO:<${text.slice(0, 200)}@inbox.localhost>`),
    ],
    [`EHLO ${text}`, ...Array.from({ length: 200 }, () => 'NOOP')],
  ]);
}

/** Creates a mail of about five megabytes at most, with CRLF line ends. */
function getMail(draw: Draw): string {
  const size = draw.of([10_000, 200_000, 1_000_000, mailMost]);
  const line = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n').replaceAll(/\r\n\./g, '\r\n..');
  const head = 'From: a@b.example\r\nSubject: a\r\nMIME-Version: 1.0\r\n';
  const ways: readonly (() => string)[] = [
    () => `${head}\r\n${'\r\n'.repeat(size / 2)}`,
    () => `${head}\r\n${line(worstText(draw, size / 3))}`,
    () => `${'X-A: b\r\n'.repeat(size / 8)}\r\na`,
    () => `${head}X-A: ${' \r\n '.repeat(size / 4)}a\r\n\r\na`,
    () => `${head}Subject: ${'=?utf-8?Q?=41?= '.repeat(size / 16)}\r\n\r\na`,
    () => `${head}To: ${'"a" <a@b.example>, '.repeat(size / 20)}\r\n\r\na`,
    () => `${head}To: ${'('.repeat(size)}\r\n\r\na`,
    () => `${head}Content-Type: text/html\r\n\r\n${line(getHtml(draw, size))}`,
    () => `${head}Content-Type: text/plain${'; a="b"'.repeat(size / 7)}\r\n\r\na`,
    () => `${head}Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\nx\r\n'.repeat(size / 10)}--a--`,
    () => nestedMail(head, draw.of([50, 500, 20_000])),
    () => `${head}Content-Transfer-Encoding: base64\r\n\r\n${`${'QUFB'.repeat(18)}\r\n`.repeat(size / 74)}`,
    () => `${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=41=\r\n'.repeat(size / 6)}`,
    () => `${head}Content-Type: text/plain; charset=${worstText(draw, 1000).replaceAll(/\s/g, 'x')}\r\n\r\na`,
    () => `${head}\r\n${'https://a.example/?code=123456 '.repeat(size / 31)}`,
  ];
  return draw.of(ways)();
}

function nestedMail(head: string, depth: number): string {
  const parts = Array.from(
    { length: depth },
    (_one, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  return `${head}${parts.join('')}\r\na`;
}

function getHtml(draw: Draw, size: number): string {
  const unit = draw.of([
    '<div>',
    '<a href="https://a.example/">a</a>',
    '<',
    '<!--',
    '&amp;',
    '&#x41;',
    '<style>',
    '<a ',
    '<p>a</p>',
    '</',
  ]);
  return unit.repeat(Math.floor(size / unit.length));
}
