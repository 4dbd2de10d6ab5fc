import type { Doing, Hand, Script } from '../hand.ts';

function* logIn(hand: Hand, origin: string, [user, password]: readonly [string, string]): Doing {
  yield* hand.open(origin);
  yield* hand.type('textbox', 'User name', user);
  yield* hand.type('textbox', 'Password', password);
  yield* hand.click('button', 'Log in');
}

const ada = ['ada', 'lovelace-1815'] as const;
const grace = ['grace', 'hopper-1906'] as const;

/** Scripts for the tasks of the members' area. */
export const loginScripts: Readonly<Record<string, Script>> = {
  *'login-number'(hand, origin) {
    yield* logIn(hand, origin, ada);
    const number = hand.read(/M-\d+/);
    yield* hand.click('button', 'Log out');
    hand.ref('button', 'Log in');
    return { text: `The membership number is ${number}.` };
  },
  *'login-phone'(hand, origin) {
    yield* logIn(hand, origin, grace);
    yield* hand.click('link', 'Profile');
    yield* hand.type('textbox', 'Phone number', '+49 941 5550123');
    yield* hand.click('button', 'Save');
    return { text: hand.read(/Your profile has been saved/) };
  },
  *'login-stored-password'(hand, origin) {
    yield* logIn(hand, origin, ['ada', '<secret:portal_password>']);
    yield* hand.click('link', 'Messages');
    return { text: `The newest message: ${hand.rows().at(-1)?.[1]}` };
  },
  *'login-invoice'(hand, origin) {
    yield* logIn(hand, origin, grace);
    yield* hand.click('link', 'Invoices');
    const open = hand.rows().filter(([, , , status]) => status === 'open');
    const owed = open.reduce((sum, [, , amount]) => sum + Number(amount?.slice(1)), 0);
    return { text: `You owe €${owed}.`, output: { owed } };
  },
  *'login-no-newsletter'(hand, origin) {
    yield* logIn(hand, origin, ada);
    yield* hand.click('link', 'Settings');
    yield* hand.check('checkbox', /paper/, false);
    yield* hand.click('button', 'Save settings');
    return { text: hand.read(/Saved/) };
  },
  *'login-wrong-password'(hand, origin) {
    yield* logIn(hand, origin, ['ada', 'babbage-1791']);
    return { text: `The membership number is ${hand.read(/M-\d+/)}.` };
  },
};
