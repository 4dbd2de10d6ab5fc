import type { JsonObject } from '#lib/json.ts';
import type { KnownNames } from './known-names.ts';
import { placesIn, textIn } from './places.ts';
import { type Names, type Reference, answerMember, meant, operation, parameter, requestMember } from './reference.ts';

const record: Names = (known) => known.rule('records', 'records.*.record');
/**
 * Returns the members of a record in the responses of some operations. Each of `places` names an `operation`, and in
 * `items` the list of the response that contains the record, if it is in a list.
 */
function shown(known: KnownNames, places: readonly JsonObject[]): string[] {
  return places.flatMap((place) => meant(known, place).flatMap(({ answer }) => answer(readListName(place))));
}

function readListName({ items }: JsonObject): string | undefined {
  return typeof items === 'string' ? items : undefined;
}

function showings(row: JsonObject | undefined): JsonObject[] {
  const places = row?.['shownBy'];
  return Array.isArray(places) ? places.filter((place) => typeof place === 'object' && place !== null).map(asRow) : [];
}

function asRow(value: unknown): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the table has vouched for the shape
  return value as JsonObject;
}

function recordRow(known: KnownNames, write: JsonObject | undefined): JsonObject | undefined {
  const rows = placesIn(known.table('records'), 'records.*.record');
  return rows.find(({ word }) => word === write?.['record'])?.rows[0];
}

const recordMember: Names = (known, _row, rows) => shown(known, showings(rows.find((row) => 'shownBy' in row)));
const recordEnd: Names = (known, states, rows) =>
  showings(rows.find((row) => 'shownBy' in row)).flatMap((place) =>
    meant(known, place).flatMap(({ values }) => values(textIn(states, 'member'), readListName(place))),
  );
const listMember: Names = (known, row) => shown(known, [row]);
/** References of the tables about records. */
export const recordTables: Readonly<Record<string, readonly Reference[]>> = {
  'read-back': [
    { at: 'writes.*.record', expected: 'a record of records.yaml', names: record },
    ...['creates', 'updates'].map((at) => ({ at: `writes.*.${at}.*`, expected: 'an operation', names: operation })),
    {
      at: 'writes.*.members.*.member',
      expected: 'a member of the requests that create or update the record',
      names: (known, _row, [, write]) =>
        ['creates.*', 'updates.*']
          .flatMap((at) => placesIn(write ?? {}, at))
          .flatMap(({ word }) => requestMember(known, { operation: word }, [])),
    },
    {
      at: 'writes.*.members.*.shows',
      expected: 'a member that an answer shows of the record',
      names: (known, _row, [, write]) => shown(known, showings(recordRow(known, write))),
    },
    {
      at: 'writes.*.members.*.until.*',
      expected: 'an operation, or followUp',
      names: (...given) => ['followUp', ...operation(...given)],
    },
  ],
  records: [
    { at: 'records.*.shownBy.*.operation', expected: 'an operation', names: operation },
    { at: 'records.*.shownBy.*.items', expected: 'a member of the answer', names: answerMember },
    ...[
      'id',
      'states.member',
      'order.*',
      'constant.*.member',
      'settled.*.member',
      'growing.*.member',
      'final.*.member',
    ].map((at) => ({
      at: `records.*.${at}`,
      expected: 'a member that an answer shows of the record',
      names: recordMember,
    })),
    { at: 'records.*.states.ends.*', expected: 'a value of the enumeration of that member', names: recordEnd },
    ...['stoppedBy', 'removedBy'].map((at) => ({
      at: `records.*.${at}.*`,
      expected: 'an operation',
      names: operation,
    })),
    { at: 'lists.*.operation', expected: 'an operation', names: operation },
    { at: 'lists.*.items', expected: 'a member of the answer', names: answerMember },
    { at: 'lists.*.id', expected: 'a member of the items of the list', names: listMember },
    ...['size', 'number', 'ours.*'].map((at) => ({
      at: `lists.*.${at}`,
      expected: 'a parameter of the operation',
      names: parameter,
    })),
    ...['total', 'shows.size', 'shows.number'].map((at) => ({
      at: `lists.*.${at}`,
      expected: 'a member of the answer',
      names: ((known, _row, rows) => answerMember(known, rows.find((row) => 'operation' in row) ?? {}, [])) as Names,
    })),
  ],
};
