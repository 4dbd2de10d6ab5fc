import { expect, test } from 'vitest';
import type { Mail, MailSummary, Mailbox } from '../mailbox.ts';
import { guardMailbox } from './guard-mailbox.ts';
import { createRedactor } from './redactor.ts';

const value = 'hunter2-hunter2';
const summary: MailSummary = {
  number: 1,
  from: `${value}@example.com`,
  fromName: value,
  subject: `Your ${value}`,
  receivedAt: 0,
  isNew: true,
};
const mail: Mail = {
  ...summary,
  text: `It is ${value}.`,
  links: [{ text: value, url: `https://a.example/?p=${value}` }],
  codes: [value],
  attachments: [{ name: `${value}.txt`, contentType: 'text/plain', size: 1 }],
};
const mailbox: Mailbox = {
  address: 'a@inbox.localhost',
  list: async () => [summary],
  wait: async () => mail,
  read: async (number) => (number === 1 ? mail : null),
};

test('shows no value of a secret anywhere in a mail', async () => {
  const guarded = guardMailbox(mailbox, createRedactor([{ name: 'pin', value, domains: null }]));
  const shown = [await guarded.list(), await guarded.wait({}, new AbortController().signal), await guarded.read(1)];
  const text = JSON.stringify(shown);
  expect(text).not.toContain(value);
  expect(text).toContain('It is <secret:pin>.');
  expect(await guarded.read(2)).toBeNull();
  expect(guarded.address).toBe('a@inbox.localhost');
});
