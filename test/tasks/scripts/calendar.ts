import type { Doing, Hand, Script } from '../hand.ts';

type Wanted = readonly [room: RegExp, day: string, hour: string, title: string];

function* book(hand: Hand, [room, day, hour, title]: Wanted): Doing {
  yield* hand.click('button', room);
  yield* hand.click('button', day);
  yield* hand.click('button', hour);
  yield* hand.type('textbox', 'Title', title);
  yield* hand.click('button', 'Book');
  yield* hand.use('wait_for_text', { text: 'Booked' });
}

/** Scripts for the tasks of the calendar. */
export const calendarScripts: Readonly<Record<string, Script>> = {
  *'calendar-aalto'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('button', 'Next month');
    yield* book(hand, [/^Aalto/, '3', '10:00', 'Interview']);
    return { text: hand.read(/Booked: [^"\n]*/) };
  },
  *'calendar-cancel'(hand, origin) {
    yield* hand.open(`${origin}/bookings`);
    yield* hand.use('answer_dialog', { accept: true });
    yield* hand.click('button', 'Cancel', 'Budget review');
    if (/row "Budget review/.test(hand.seen)) throw new Error('the booking is still there');
    return { text: 'The booking is cancelled.' };
  },
  *'calendar-typed-date'(hand, origin) {
    yield* hand.open(`${origin}/quick`);
    yield* hand.type('textbox', 'Date', '2026-06-24');
    yield* hand.select('Room', 'Eames');
    yield* hand.select('Time', '14:00');
    yield* hand.type('textbox', 'Title', 'Handover');
    yield* hand.click('button', 'Book now');
    return { text: hand.read(/Booked: [^"\n]*/) };
  },
  *'calendar-lunch'(hand, origin) {
    yield* hand.open(origin);
    yield* book(hand, [/^Saarinen/, '18', '12:00', 'Team lunch']);
    return { text: hand.read(/Booked: [^"\n]*/) };
  },
  *'calendar-earliest'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('button', /^Eames/);
    yield* hand.click('button', '17');
    const hour = hand.read(/button "(\d\d:\d\d)"(?! \[disabled\])/);
    yield* book(hand, [/^Eames/, '17', hour, 'Call Oslo']);
    return { text: hand.read(/Booked: [^"\n]*/) };
  },
  *'calendar-taken'(hand, origin) {
    yield* hand.open(origin);
    yield* book(hand, [/^Saarinen/, '16', '09:00', 'Standup']);
    return { text: hand.read(/Booked: [^"\n]*/) };
  },
};
