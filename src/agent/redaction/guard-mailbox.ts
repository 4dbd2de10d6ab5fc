import type { Mail, MailSummary, Mailbox } from '../mailbox.ts';
import type { Redactor } from './redactor.ts';
import { shownLinks } from './uncut.ts';

/** A mailbox that shows placeholders in place of values, wherever a mail repeats one. */
export function guardMailbox(mailbox: Mailbox, redactor: Redactor): Mailbox {
  const text = (given: string): string => redactor.text(given);
  const summary = <Shown extends MailSummary>(mail: Shown): Shown => ({
    ...mail,
    from: text(mail.from),
    fromName: text(mail.fromName),
    subject: text(mail.subject),
  });
  const whole = async (mail: Mail | null): Promise<Mail | null> =>
    mail === null
      ? null
      : {
          ...summary(mail),
          text: await redactor.paced(mail.text),
          links: await shownLinks(mail.links, redactor),
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
