import type { Hand, Script, Wish } from '../hand.ts';

/** Returns the email address of the task's mailbox. */
function* ownAddress(hand: Hand): Generator<Wish, string, void> {
  yield* hand.use('get_mail_address', {});
  return hand.read(/[\w.+-]+@[\w-]+(?:\.[\w-]+)*/);
}

/** Scripts for the tasks of the reading club. */
export const mailScripts: Readonly<Record<string, Script>> = {
  *'mail-code'(hand, origin) {
    const address = yield* ownAddress(hand);
    yield* hand.open(origin);
    yield* hand.type('textbox', 'Your name', 'Nora');
    yield* hand.type('textbox', 'Email address', address);
    yield* hand.click('button', 'Join');
    yield* hand.use('wait_for_mail', { subject: 'code' });
    yield* hand.type('textbox', 'Code from the mail', hand.read(/Your code: (\d+ \d+)/));
    yield* hand.click('button', 'Confirm');
    return { text: hand.read(/You are a member now/) };
  },
  *'mail-link'(hand, origin) {
    const address = yield* ownAddress(hand);
    yield* hand.open(`${origin}/reading-list`);
    yield* hand.type('textbox', 'Email address', address);
    yield* hand.click('button', 'Send me the list');
    yield* hand.use('wait_for_mail', {});
    yield* hand.open(hand.read(/http:\S+confirm\/\w+/));
    return { text: hand.read(/Confirmed/) };
  },
  *'mail-visit'(hand, origin) {
    const address = yield* ownAddress(hand);
    yield* hand.open(origin);
    yield* hand.click('link', 'Evenings');
    yield* hand.click('link', 'Come as a guest');
    yield* hand.type('textbox', 'Your name', 'Theo');
    yield* hand.type('textbox', /write to/, address);
    yield* hand.click('button', 'Ask for a ticket');
    yield* hand.use('wait_for_mail', {});
    yield* hand.open(hand.read(/http:\S+guest-ticket\/[\w-]+/));
    return { text: `The ticket has the number ${hand.read(/T-\d+/)}.` };
  },
  *'mail-never-comes'(hand, origin) {
    const address = yield* ownAddress(hand);
    yield* hand.open(`${origin}/forgotten`);
    yield* hand.type('textbox', 'Account', 'theo');
    yield* hand.type('textbox', 'Email address', address);
    yield* hand.click('button', 'Send the link');
    yield* hand.use('wait_for_mail', { seconds: 60 });
    yield* hand.open(hand.read(/http:\S+reset\/\w+/));
    return { text: 'The password is set.' };
  },
};
