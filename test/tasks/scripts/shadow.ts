import type { Script } from '../hand.ts';

/** Scripts for the tasks of the smart home. */
export const shadowScripts: Readonly<Record<string, Script>> = {
  *'shadow-kitchen-light'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('switch', 'Kitchen light');
    return { text: `The kitchen: ${hand.read(/switch "Kitchen light" \[checked\]/)}` };
  },
  *'shadow-temperature'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.type('spinbutton', 'Living room temperature', '21.5');
    yield* hand.click('button', 'Save Living room');
    return { text: `It says: ${hand.read(/Living room saved/)}` };
  },
  *'shadow-rename'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('button', /Settings|⚙/);
    yield* hand.type('textbox', 'Name of the home', 'Lake house');
    yield* hand.click('button', 'Save settings');
    return { text: hand.read(/Settings saved/) };
  },
  *'shadow-holiday'(hand, origin) {
    yield* hand.open(origin);
    while (hand.has('switch', / light$/) && /switch "(\w+) light" \[checked\]/.test(hand.seen)) {
      yield* hand.click('switch', `${hand.read(/switch "(\w+) light" \[checked\]/)} light`);
    }
    for (const room of ['Living room', 'Bathroom', 'Office']) {
      yield* hand.type('spinbutton', `${room} temperature`, '15');
      yield* hand.click('button', `Save ${room}`);
      hand.read(new RegExp(`${room} saved`));
    }
    return { text: 'All lights are off and all rooms are set to 15 degrees.' };
  },
  *'shadow-warmest'(hand, origin) {
    yield* hand.open(origin);
    const rooms = hand.readAll(/heading "([^"]+)" \[level=3\][^\n]*\n[^\n]*Now (\d+\.?\d*) °C/g);
    const [room, degrees] = rooms.toSorted(([, left], [, right]) => Number(right) - Number(left))[0] ?? [];
    return { text: `It is the ${room}.`, output: { room, degrees: Number(degrees) } };
  },
};
