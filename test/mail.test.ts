import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mailbox } from '#agent/mailbox.ts';
import type { MailPlace } from '#platform/mail/start-mail-server.ts';
import { createApiClient } from './support/api-client.ts';
import { type Running, type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { getMailRefusal, sendMail } from './support/send-mail.ts';
import { openSmtp } from './support/smtp-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let dataFolder: string;

const start = async (changes: Parameters<typeof startBackend>[0] = {}): Promise<void> => {
  agent = createScriptedAgent();
  started = await startBackend({ agent, dataFolder, ...changes });
};
const place = (): MailPlace => {
  const found = started.backend.mailPlace();
  if (found === null) throw new Error('no mail is taken');
  return found;
};
const client = (version: 'v2' | 'v3' | 'v4' = 'v3', key = testKey) => createApiClient(started.address, key, version);

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'svc-mail-'));
  await start();
});
afterEach(async () => {
  await started.stop();
  rmSync(dataFolder, { recursive: true });
});

interface Post {
  readonly id: string;
  readonly address: string;
  readonly box: Mailbox;
  readonly running: Running;
}

/**
 * Creates a V3 session with a running task. Returns the id of the session, its mail address, and the mailbox and the
 * task that the agent gets.
 */
async function session(goal = 'wait for mail', key = testKey, more = {}): Promise<Post> {
  const { body } = await client('v3', key).call('POST', '/sessions', { task: goal, ...more });
  const running = await waitForTask(agent, goal);
  const box = running.world.mailbox;
  if (box === null) throw new Error('the session has no mailbox');
  return { id: String(body['id']), address: String(body['inboxEmail']), box, running };
}

const nobody = new AbortController().signal;

/** Returns the error of a rejected promise as text, and `it did not fail` for a promise that resolves. */
const catchFailure = (work: Promise<unknown> | undefined): Promise<string> =>
  Promise.resolve(work).then(
    () => 'it did not fail',
    (error: unknown) => String(error),
  );

describe('sessions with a mailbox', () => {
  it('gives each V3 session an address of its own unless told not to', async () => {
    const [one, other] = [await session('one'), await session('other')];
    expect(one.address).toMatch(/^[a-z2-9]{20}@inbox\.localhost$/);
    expect(one.box.address).toBe(one.address);
    expect(other.address).not.toBe(one.address);
    const { body } = await client().call('POST', '/sessions', { task: 'none', inbox: false });
    expect(body['inboxEmail']).toBeNull();
    expect((await waitForTask(agent, 'none')).world.mailbox).toBeNull();
  });

  it('gives a V4 session one as soon as a run asks for it, and keeps it', async () => {
    const v4 = client('v4');
    const show = async (id: unknown) => (await v4.call('GET', `/sessions/${String(id)}`)).body['inboxEmail'];
    const { body: first } = await v4.call('POST', '/runs', { task: 'first' });
    const without = await waitForTask(agent, 'first');
    expect(without.world.mailbox).toBeNull();
    expect(await show(first['sessionId'])).toBeNull();
    without.finish({ success: true, output: 'done' });
    await v4.until(String(first['id']), ({ status }) => status === 'completed');
    const sessionId = first['sessionId'];
    await v4.call('POST', '/runs', { task: 'second', sessionId, inbox: true });
    const second = await waitForTask(agent, 'second');
    const address = await show(sessionId);
    expect(second.world.mailbox?.address).toBe(address);
    expect(address).toMatch(/@inbox\.localhost$/);
  });

  it('gives none where no mail is taken', async () => {
    await started.stop();
    await start({ mail: null });
    const { body } = await client().call('POST', '/sessions', { task: 'x' });
    expect(body['inboxEmail']).toBeNull();
    expect((await waitForTask(agent, 'x')).world.mailbox).toBeNull();
    expect(started.backend.mailPlace()).toBeNull();
  });
});

describe('what a mail says', () => {
  it('takes a plain mail with its code', async () => {
    const { address, box } = await session();
    await sendMail(place(), { to: address, subject: 'Your code', text: 'Your code is 482913.\r\n.\r\n..dots' });
    expect(await box.read(1)).toMatchObject({
      number: 1,
      from: 'shop@example.com',
      fromName: 'Shop',
      subject: 'Your code',
      text: 'Your code is 482913.\n.\n..dots',
      codes: ['482913'],
      links: [],
      attachments: [],
      isNew: true,
    });
    expect(await box.list()).toMatchObject([{ number: 1, isNew: false }]);
    expect(await box.read(2)).toBeNull();
  });

  it('takes HTML, its links, and the names of files', async () => {
    const { address, box } = await session();
    const html = '<p>Confirm <a href="https://shop.example/confirm?t=a&amp;u=b">your address</a></p>';
    const attachments = [
      { filename: 'Rechnung März.pdf', content: Buffer.alloc(1_000), contentType: 'application/pdf' },
    ];
    await sendMail(place(), { to: address, subject: 'Grüße ✉', html, text: 'plain', attachments });
    expect(await box.read(1)).toMatchObject({
      subject: 'Grüße ✉',
      text: 'Confirm your address',
      links: [{ text: 'your address', url: 'https://shop.example/confirm?t=a&u=b' }],
      attachments: [{ name: 'Rechnung März.pdf', contentType: 'application/pdf', size: 1_000 }],
    });
  });

  it('reads other character sets and encodings', async () => {
    const { address, box } = await session();
    const raw = [
      'From: =?ISO-2022-JP?B?GyRCRTlKXhsoQg==?= <a@example.com>',
      'Subject: =?ISO-2022-JP?B?GyRCRzc+WiUzITwlSRsoQg==?= =?utf-8?Q?=E2=9C=93?=',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Votre code d=E9finitif : 482 913 =',
      'merci',
    ].join('\r\n');
    await sendMail(place(), { envelope: { from: 'a@example.com', to: address }, raw });
    const mail = await box.read(1);
    expect(mail?.subject).toMatch(/コード✓$/);
    expect(mail?.text).toBe('Votre code définitif : 482 913 merci');
    expect(mail?.codes).toEqual(['482913']);
  });

  it('refuses unreadable mails and accepts unusual ones', async () => {
    const { address, box } = await session();
    const nested = Array.from(
      { length: 60 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
    );
    expect(
      await getMailRefusal(place(), { envelope: { from: 'a@example.com', to: address }, raw: nested.join('') }),
    ).toBe(554);
    await sendMail(place(), { envelope: { from: '', to: address }, raw: '\r\nonly text \0 here' });
    expect(await box.list()).toMatchObject([{ number: 1, from: '', subject: '' }]);
  });
});

describe('accepted senders and recipients', () => {
  it('refuses unknown addresses, other domains and ended sessions', async () => {
    const { id, address, box } = await session();
    expect(await getMailRefusal(place(), { to: 'aaaaaaaaaaaaaaaaaaaa@inbox.localhost' })).toBe(550);
    expect(await getMailRefusal(place(), { to: address.replace('inbox.localhost', 'example.com') })).toBe(550);
    expect(await getMailRefusal(place(), { to: address.toUpperCase() })).toBeNull();
    expect(await box.list()).toHaveLength(1);
    await client().call('POST', `/sessions/${id}/stop`, {});
    expect(await getMailRefusal(place(), { to: address })).toBe(550);
    expect(await started.backend.db.selectFrom('mails').selectAll().execute()).toEqual([]);
  });

  it('refuses at the end of a message whose session has ended meanwhile', async () => {
    const { id, address } = await session();
    const smtp = await openSmtp(place());
    await smtp.say('EHLO me\r\n', 1);
    await smtp.say(`MAIL FROM:<>\r\nRCPT TO:<${address}>\r\nDATA\r\n`, 3);
    await client().call('POST', `/sessions/${id}/stop`, {});
    expect(await smtp.say('Subject: late\r\n\r\ntext\r\n.\r\n', 1)).toEqual([expect.stringMatching(/^550 /)]);
    smtp.drop();
  });

  it('gives a mail to all its recipients or to none', async () => {
    const [one, other] = [await session('one'), await session('other', otherKey)];
    await sendMail(place(), { to: [one.address, other.address, one.address] });
    expect(await one.box.list()).toHaveLength(1);
    expect(await other.box.list()).toHaveLength(1);
    const smtp = await openSmtp(place());
    await smtp.say('EHLO me\r\n', 1);
    await smtp.say(`MAIL FROM:<>\r\nRCPT TO:<${one.address}>\r\nRCPT TO:<${other.address}>\r\nDATA\r\n`, 4);
    await client('v3', otherKey).call('POST', `/sessions/${other.id}/stop`, {});
    expect(await smtp.say('\r\ntext\r\n.\r\n', 1)).toEqual([expect.stringMatching(/^451 /)]);
    expect(await one.box.list()).toHaveLength(1);
    smtp.drop();
  });

  it('refuses a mail of 10 MB, announced or not, and takes the next', async () => {
    const { address, box } = await session();
    expect(await getMailRefusal(place(), { to: address, text: 'x'.repeat(10_000_000) })).toBe(552);
    const smtp = await openSmtp(place());
    await smtp.say('HELO me\r\n', 1);
    await smtp.say(`MAIL FROM:<>\r\nRCPT TO:<${address}>\r\nDATA\r\n`, 3);
    const line = `${'x'.repeat(998)}\r\n`;
    expect(await smtp.say(`\r\n${line.repeat(10_000)}.\r\n`, 1)).toEqual([expect.stringMatching(/^552 /)]);
    smtp.drop();
    await sendMail(place(), { to: address });
    expect(await box.list()).toHaveLength(1);
  });

  it('refuses more than a mailbox holds until it is tried elsewhere', async () => {
    const { address, id } = await session();
    const row = { sender: '', senderName: '', subject: '', text: '', links: '[]', attachments: '[]', receivedAt: 0 };
    await started.backend.db
      .insertInto('mails')
      .values({ ...row, sessionId: id, number: 100 })
      .execute();
    expect(await getMailRefusal(place(), { to: address })).toBe(452);
  });

  it('keeps nothing of a message that breaks off', async () => {
    const { address, box } = await session();
    const smtp = await openSmtp(place());
    await smtp.say('EHLO me\r\n', 1);
    await smtp.say(`MAIL FROM:<>\r\nRCPT TO:<${address}>\r\nDATA\r\n`, 3);
    smtp.write('Subject: half\r\n\r\nhalf a me');
    smtp.drop();
    await sendMail(place(), { to: address, subject: 'whole' });
    expect((await box.list()).map(({ subject }) => subject)).toEqual(['whole']);
  });

  it('takes what is sent ahead in one piece, offers no encryption and no sign-in', async () => {
    const { address, box } = await session();
    const smtp = await openSmtp(place());
    const message = `MAIL FROM:<a@example.com>\r\nRCPT TO:<${address}>\r\nDATA\r\n`;
    await smtp.say('EHLO me\r\n', 1);
    expect(await smtp.say('STARTTLS\r\nAUTH PLAIN AGEAYg==\r\n', 2)).toEqual([
      expect.stringMatching(/^50\d /),
      expect.stringMatching(/^50\d /),
    ]);
    const body = 'Subject: ahead\r\n\r\ntext\r\n.\r\n';
    const replies = await smtp.say(`${message}${body}${message}${body}QUIT\r\n`, 9);
    expect(replies.map((line) => line.slice(0, 3))).toEqual([
      '250',
      '250',
      '354',
      '250',
      '250',
      '250',
      '354',
      '250',
      '221',
    ]);
    expect(await box.list()).toHaveLength(2);
    smtp.drop();
  });

  it('takes fifty mails at once, each once', async () => {
    const { address, box } = await session();
    const subjects = Array.from({ length: 50 }, (_, index) => `mail ${index}`);
    await Promise.all(subjects.map((subject) => sendMail(place(), { to: address, subject })));
    const mails = await box.list();
    expect(mails.map(({ number }) => number)).toEqual(subjects.map((_, index) => index + 1));
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted());
  });
});

describe('waiting', () => {
  it('answers with a mail that is there, and with one that comes', async () => {
    const { address, box } = await session();
    await sendMail(place(), { to: address, subject: 'first' });
    expect(await box.wait({}, nobody)).toMatchObject({ subject: 'first' });
    const waiting = box.wait({ subject: 'CODE', from: 'shop@' }, nobody);
    await sendMail(place(), { to: address, subject: 'news' });
    await sendMail(place(), { to: address, subject: 'code for others', from: 'x@example.org' });
    await sendMail(place(), { to: address, subject: 'Your code' });
    expect(await waiting).toMatchObject({ number: 4, subject: 'Your code' });
    expect(await box.wait({ after: 1, from: 'shop' }, nobody)).toMatchObject({ number: 2 });
    expect((await box.list()).map(({ isNew }) => isNew)).toEqual([false, false, true, false]);
  });

  it('ends by the clock of the service, and with the task', async () => {
    const { id, box, running } = await session();
    const late = box.wait({ withinMs: 60_000 }, nobody);
    started.clock.advance(60_000);
    expect(await late).toBeNull();
    const cut = catchFailure(box.wait({}, running.world.signal));
    await client().call('POST', `/sessions/${id}/stop`, {});
    expect(await cut).toMatch('stopped');
    await expect(box.wait({}, running.world.signal)).rejects.toThrow('stopped');
  });

  it('goes on in the next run after a restart', async () => {
    const v4 = client('v4');
    const { body } = await v4.call('POST', '/runs', { task: 'before', inbox: true });
    const before = await waitForTask(agent, 'before');
    const address = before.world.mailbox?.address ?? '';
    await sendMail(place(), { to: address, subject: 'early' });
    const cut = catchFailure(before.world.mailbox?.wait({ subject: 'late' }, before.world.signal));
    await started.stop();
    expect(await cut).toMatch('shutdown');
    await start();
    await client('v4').call('POST', '/runs', { task: 'after', sessionId: body['sessionId'] });
    const after = await waitForTask(agent, 'after');
    const waiting = after.world.mailbox?.wait({ subject: 'late' }, nobody);
    await sendMail(place(), { to: address, subject: 'late' });
    expect(await waiting).toMatchObject({ number: 2, subject: 'late' });
    expect((await after.world.mailbox?.list())?.map(({ subject }) => subject)).toEqual(['early', 'late']);
  });
});

describe('what is left', () => {
  it('tells the run that a mail came, without the values of secrets', async () => {
    const v4 = client('v4');
    const secretBindings = [
      { alias: 'name', source: { type: 'inline', value: 'hunter2-hunter2' }, allowedDomains: ['a.example'] },
    ];
    const { body } = await v4.call('POST', '/runs', { task: 'told', inbox: true, secretBindings });
    const running = await waitForTask(agent, 'told');
    const box = running.world.mailbox;
    await sendMail(place(), { to: box?.address ?? '', subject: 'Welcome hunter2-hunter2', text: 'hunter2-hunter2' });
    const { body: page } = await v4.call('GET', `/runs/${String(body['id'])}/events`);
    expect(page['events']).toContainEqual(
      expect.objectContaining({
        type: 'mail.received',
        data: { from: 'shop@example.com', subject: 'Welcome <secret:name>' },
      }),
    );
    expect(await box?.read(1)).toMatchObject({ subject: 'Welcome <secret:name>', text: '<secret:name>' });
  });

  it('forgets all mail of a purged session', async () => {
    const { body } = await client('v4').call('POST', '/runs', { task: 'purged', inbox: true });
    const running = await waitForTask(agent, 'purged');
    const address = running.world.mailbox?.address ?? '';
    await sendMail(place(), { to: address, subject: 'unmistakable' });
    await started.backend.db.updateTable('projects').set({ zeroDataRetention: 1 }).execute();
    const purged = await client('v4').call('POST', `/sessions/${String(body['sessionId'])}/purge`);
    expect(purged.status).toBe(204);
    expect(await started.backend.db.selectFrom('mails').selectAll().execute()).toEqual([]);
    expect(await getMailRefusal(place(), { to: address })).toBe(550);
  });

  it('ends connections of every kind when the service ends', async () => {
    const { address } = await session();
    const [idle, sending] = [await openSmtp(place()), await openSmtp(place())];
    await sending.say('EHLO me\r\n', 1);
    await sending.say(`MAIL FROM:<>\r\nRCPT TO:<${address}>\r\nDATA\r\n`, 3);
    sending.write('Subject: half\r\n');
    const closed = Promise.all([idle, sending].map(({ closed: gone }) => gone));
    const where = place();
    await started.stop();
    await closed;
    await expect(sendMail(where, { to: address })).rejects.toMatchObject({ code: 'ESOCKET' });
    await start();
  });
});
