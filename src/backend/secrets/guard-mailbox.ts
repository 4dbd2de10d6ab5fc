import type { Mail, MailSummary, Mailbox } from '../agent/mailbox.ts';
import type { Redactor } from './redactor.ts';

/** A mailbox that shows placeholders in place of values, wherever a mail repeats one. */
export function guardMailbox(mailbox: Mailbox, redactor: Redactor): Mailbox {
  const text = (given: string): string => redactor.text(given);
  const summary = <Shown extends MailSummary>(mail: Shown): Shown => ({
    ...mail,
    from: text(mail.from),
    fromName: text(mail.fromName),
    subject: text(mail.subject),
  });
  const whole = (mail: Mail | null): Mail | null =>
    mail === null
      ? null
      : {
          ...summary(mail),
          text: text(mail.text),
          links: mail.links.map((link) => ({ text: text(link.text), url: text(link.url) })),
          codes: mail.codes.map(text),
          attachments: mail.attachments.map((file) => ({ ...file, name: text(file.name) })),
        };
  return {
    address: mailbox.address,
    list: async () => (await mailbox.list()).map(summary),
    wait: async (wish, signal) => whole(await mailbox.wait(wish, signal)),
    read: async (number) => whole(await mailbox.read(number)),
  };
}
