import type { Doing, Hand, Script } from '../hand.ts';

type Permit = readonly [street: string, postcode: string, zone: string];

function* applyForPermit(hand: Hand, origin: string, [street, postcode, zone]: Permit): Doing {
  yield* hand.open(`${origin}/permit`);
  yield* hand.type('textbox', 'Last name', 'Novak');
  yield* hand.type('textbox', 'First name', 'Daria');
  yield* hand.type('textbox', /Number plate/, 'RB-DN 482');
  yield* hand.type('textbox', 'Street and number', street);
  yield* hand.type('textbox', 'Postcode', postcode);
  yield* hand.check('radio', `Zone ${zone}`);
  yield* hand.check('checkbox', /details are true/);
  yield* hand.click('button', 'Submit application');
}

/** Scripts for the tasks of the town office. */
export const formsScripts: Readonly<Record<string, Script>> = {
  *'forms-contact'(hand, origin) {
    yield* hand.open(`${origin}/contact`);
    yield* hand.type('textbox', 'Name', 'Lena Fischer');
    yield* hand.type('textbox', 'Email', 'lena@example.test');
    yield* hand.type('textbox', 'Subject', 'Opening hours');
    yield* hand.select('Department', 'Library');
    yield* hand.type('textbox', 'Message', 'Are you open on Easter Monday?');
    yield* hand.click('button', 'Send');
    return { text: hand.read(/Message sent/) };
  },
  *'forms-permit'(hand, origin) {
    yield* applyForPermit(hand, origin, ['Lindenstraße 4', '93047', 'B']);
    return { text: `The permit has the number ${hand.read(/P-\d+/)}.` };
  },
  *'forms-birthday'(hand, origin) {
    yield* hand.open(`${origin}/library-card`);
    yield* hand.type('textbox', 'Name', 'Karim Haddad');
    yield* hand.type('textbox', 'Date of birth', '1985-03-07');
    yield* hand.check('checkbox', /newsletter/, false);
    yield* hand.click('button', 'Register');
    hand.read(/DD\.MM\.YYYY/);
    yield* hand.type('textbox', 'Name', 'Karim Haddad');
    yield* hand.type('textbox', 'Date of birth', '07.03.1985');
    yield* hand.check('checkbox', /newsletter/, false);
    yield* hand.click('button', 'Register');
    return { text: hand.read(/Welcome to the library/) };
  },
  *'forms-survey'(hand, origin) {
    yield* hand.open(`${origin}/survey`);
    yield* hand.check('radio', 'Very satisfied');
    yield* hand.check('checkbox', 'Library');
    yield* hand.check('checkbox', 'Swimming pool');
    yield* hand.select('How old are you?', '30 to 49');
    yield* hand.click('button', 'Send answers');
    return { text: hand.read(/Thank you/) };
  },
  *'forms-street-light'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', /broken/);
    yield* hand.select('What is it about?', 'Street light');
    yield* hand.type('textbox', 'Street', 'Lindenstraße');
    yield* hand.type('textbox', 'House number nearby', '4');
    yield* hand.type('textbox', /What have you seen/, 'The street light has been out since Monday.');
    yield* hand.type('textbox', 'Your name', 'Jonas Weber');
    yield* hand.type('textbox', 'Your email', 'jonas@example.test');
    yield* hand.check('checkbox', /may write to me/);
    yield* hand.click('button', 'Report');
    return { text: hand.read(/Thank you for telling us/) };
  },
  *'forms-permit-elsewhere'(hand, origin) {
    yield* applyForPermit(hand, origin, ['Bahnhofstraße 9', '80335', 'A']);
    return { text: `The permit has the number ${hand.read(/P-\d+/)}.` };
  },
};
