import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mailbox } from '#agent/mailbox.ts';
import type { MailPlace } from '#platform/mail/start-mail-server.ts';
import { besideThread } from '#lib/testing/thread-time.ts';
import { createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { sendMail } from './support/send-mail.ts';
import { type SmtpClient, openSmtp } from './support/smtp-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;

beforeAll(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent, activeSessionsMax: 100 });
});
afterAll(() => started.stop());

const place = (): MailPlace => {
  const found = started.backend.mailPlace();
  if (found === null) throw new Error('no mail is taken');
  return found;
};

async function openMailbox(goal: string, key: string): Promise<Mailbox> {
  await createApiClient(started.address, key, 'v3').call('POST', '/sessions', { task: goal });
  const { mailbox } = (await waitForTask(agent, goal)).world;
  if (mailbox === null) throw new Error('the session has no mailbox');
  return mailbox;
}

/** Sends a mail unchanged and returns the last reply of the server. */
async function reply(address: string, raw: string): Promise<string> {
  const smtp = await openSmtp(place());
  await beginData(smtp, address);
  const [line = ''] = await smtp.say(`${raw}\r\n.\r\n`, 1);
  smtp.drop();
  return line;
}

async function beginData(smtp: SmtpClient, address: string): Promise<void> {
  await smtp.say('EHLO me\r\n', 1);
  await smtp.say(`MAIL FROM:<>\r\nRCPT TO:<${address}>\r\nDATA\r\n`, 3);
}

const bytes = 5_000_000;
const headers = 'From: a@example.com\r\nSubject: x\r\n';
const fill = (piece: string): string => piece.repeat(Math.floor(bytes / piece.length));
const html = (text: string): string => `${headers}Content-Type: text/html\r\n\r\n${text}`;
const encoded = (encoding: string, text: string): string =>
  `${headers}Content-Transfer-Encoding: ${encoding}\r\n\r\n${text}`;
const multipart = (text: string): string => `${headers}Content-Type: multipart/mixed; boundary=b\r\n\r\n${text}`;
const nested = Array.from(
  { length: 5_000 },
  (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
).join('');

/**
 * Hostile mails. The server's reply must match `want`. For an accepted mail, the test also checks the limits of its
 * text and its links.
 */
const attackMails: readonly { readonly name: string; readonly raw: string; readonly want: RegExp }[] = [
  { name: '5 MB of newlines', raw: `\r\n${fill('\n')}`, want: /^552 .* more than 100000 lines/ },
  {
    name: 'a flowed text of a million lines',
    raw: `Content-Type: text/plain; format=flowed\r\n\r\n${fill('a \r\n')}`,
    want: /^552 /,
  },
  { name: 'almost as many lines as are taken', raw: `\r\n${'\r\n'.repeat(99_000)}`, want: /^250 / },
  { name: '5 MB of <', raw: html(fill('<')), want: /^250 / },
  { name: 'elements 1,000,000 deep', raw: html(fill('<div>')), want: /^250 / },
  {
    name: 'elements that are closed by others',
    raw: html(`${'<div>'.repeat(400_000)}${'</p>'.repeat(400_000)}`),
    want: /^250 /,
  },
  { name: 'comments without an end', raw: html(fill('<!--')), want: /^250 / },
  { name: 'attributes without an end', raw: html(fill(`<a b='`)), want: /^250 / },
  { name: 'an element of a million attributes', raw: html(`<a ${'x=1 '.repeat(1_000_000)}>`), want: /^250 / },
  {
    name: 'an attribute of 5 MB',
    raw: html(`<a href="https://a.example/${'a'.repeat(4_900_000)}">x</a>`),
    want: /^250 /,
  },
  { name: 'entities without an end', raw: html(fill('&amp')), want: /^250 / },
  { name: '100,000 links', raw: html('<a href="https://a.example/?x=1">x</a>'.repeat(100_000)), want: /^250 / },
  { name: '200,000 addresses', raw: `${headers}\r\n${'https://a.example/a '.repeat(200_000)}`, want: /^250 / },
  {
    name: 'an address of 5 MB of brackets',
    raw: `${headers}\r\nhttps://a.example/${'x)'.repeat(2_400_000)}`,
    want: /^250 /,
  },
  { name: 'a million codes', raw: `${headers}\r\nYour code: ${'123456 '.repeat(700_000)}`, want: /^250 / },
  { name: 'one long word', raw: `${headers}\r\n${fill('A1')}`, want: /^250 / },
  { name: 'multiparts 5,000 deep', raw: nested, want: /^552 .* more than 500 parts/ },
  {
    name: '100,000 parts',
    raw: multipart(`${'--b\r\n\r\nx\r\n'.repeat(30_000)}--b--`),
    want: /^552 .* more than 500 parts/,
  },
  { name: 'a header of 5 MB', raw: `X: ${'a'.repeat(4_900_000)}\r\n\r\nx`, want: /^554 / },
  { name: '800,000 headers', raw: `${fill('X: a\r\n')}\r\nx`, want: /^552 .* more than 1000 headers/ },
  { name: '100,000 recipients in a header', raw: `To: ${'a:'.repeat(130_000)}\r\n\r\nx`, want: /^(?:250|552) / },
  { name: 'base64 that is padded everywhere', raw: encoded('base64', fill('Cgo=')), want: /^(?:250|552) / },
  { name: 'quoted-printable newlines', raw: encoded('quoted-printable', fill('=0A')), want: /^250 / },
  { name: 'soft line breaks', raw: encoded('quoted-printable', fill('=\r\n')), want: /^552 .* lines/ },
  { name: '5 MB of =', raw: encoded('quoted-printable', fill('=')), want: /^250 / },
  { name: '5 MB of blanks in a line', raw: `${headers}\r\n${fill(' ')}`, want: /^250 / },
];

describe('a mail that costs much', () => {
  test.each(attackMails)(
    'is answered in time without work on the thread that serves: $name',
    async ({ name, raw, want }) => {
      const box = await openMailbox(name, testKey);
      await besideThread(async () => {
        const line = await reply(box.address, raw);
        expect(line).toMatch(want);
        const mails = await box.list();
        expect(mails).toHaveLength(line.startsWith('250') ? 1 : 0);
        const mail = await box.read(1);
        expect(mail?.text.length ?? 0).toBeLessThanOrEqual(100_000);
        expect(mail?.links.length ?? 0).toBeLessThanOrEqual(100);
      });
    },
  );

  test('delays no mail of another project', async () => {
    const [attacked, other] = [await openMailbox('attacked', testKey), await openMailbox('other', otherKey)];
    const raw = encoded('base64', fill('Cgo='));
    const attacks = Array.from({ length: 6 }, () => reply(attacked.address, raw));
    const first = await Promise.race([
      sendMail(place(), { to: other.address, text: 'Your code is 482913.' }),
      ...attacks,
    ]);
    expect(first).toMatchObject({ response: expect.stringContaining('250') });
    expect(await other.read(1)).toMatchObject({ codes: ['482913'] });
    for (const line of await Promise.all(attacks)) expect(line).toMatch(/^552 /);
    expect(await attacked.list()).toEqual([]);
  });
});

describe('connections', () => {
  test('of one source are bounded, and one more is told so', async () => {
    const open = await Promise.all(Array.from({ length: 50 }, () => openSmtp(place())));
    const more = await openSmtp(place());
    await more.closed;
    expect(await Promise.all(open.slice(0, 2).map((smtp) => smtp.say('NOOP\r\n', 1)))).toEqual([
      [expect.stringMatching(/^250 /)],
      [expect.stringMatching(/^250 /)],
    ]);
    for (const smtp of open) smtp.drop();
    await Promise.all(open.map(({ closed }) => closed));
    const next = await openSmtp(place());
    expect(await next.say('NOOP\r\n', 1)).toEqual([expect.stringMatching(/^250 /)]);
    next.drop();
  });

  test('keep no more bytes than there is room for, and the sender may try again', async () => {
    const box = await openMailbox('room', testKey);
    const body = `${'x'.repeat(998)}\r\n`.repeat(5_000);
    const sending = await Promise.all(Array.from({ length: 14 }, () => openSmtp(place())));
    for (const smtp of sending) await beginData(smtp, box.address);
    for (const smtp of sending) smtp.write(`\r\n${body}`);
    const replies = await Promise.all(sending.map((smtp) => smtp.say('.\r\n', 1)));
    const codes = replies.map(([line = '']) => line.slice(0, 3));
    expect(codes.filter((code) => code === '452').length).toBeGreaterThan(0);
    expect(codes.filter((code) => code === '250').length).toBe(14 - codes.filter((code) => code === '452').length);
    expect(await box.list()).toHaveLength(codes.filter((code) => code === '250').length);
    for (const smtp of sending) smtp.drop();
    expect(await reply(box.address, 'Subject: next\r\n\r\nx')).toMatch(/^250 /);
  });
});
