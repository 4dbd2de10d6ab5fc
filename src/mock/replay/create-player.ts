import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '#lib/json.ts';
import type { WireReply } from '#contract/wire.ts';
import type { RecordedCall } from './recorded-call.ts';
import { similarity } from './similarity.ts';

/** A request that wants a recorded answer. */
export type Asked = Pick<RecordedCall, 'method' | 'path' | 'template' | 'query' | 'body'>;

/** Gives recorded answers. */
export interface Player {
  /** The answer to the recorded request that is most like this one; null where nothing of its method and path was recorded. */
  answer(asked: Asked): WireReply | null;
}

/** Calls of one and the same request, in their order. */
interface Row {
  readonly asked: Asked;
  readonly answers: WireReply[];
  /** How many were given. */
  given: number;
}

/**
 * Of the recorded requests of the same method and operation the one with the same path goes first, then the one whose body is most like it,
 * then the same query, then the one of which an answer is left. Its answers come in their order, and the last one again and again.
 */
export function createPlayer(calls: readonly RecordedCall[]): Player {
  const rows = rowsOf(calls);
  // Whoever asks for an object that was not recorded keeps to the one that was taken for it.
  const takenFor = new Map<string, Row>();
  return {
    answer(asked) {
      const fitting = rows.filter((row) => row.asked.method === asked.method && row.asked.template === asked.template);
      const isKnown = fitting.some((row) => row.asked.path === asked.path);
      const name = JSON.stringify([asked.method, asked.path]);
      const row =
        isKnown || asked.body !== undefined ? best(fitting, asked) : (takenFor.get(name) ?? best(fitting, asked));
      if (row === undefined) return null;
      takenFor.set(name, row);
      const answer = row.answers[Math.min(row.given, row.answers.length - 1)] ?? null;
      row.given += 1;
      return answer;
    },
  };
}

function rowsOf(calls: readonly RecordedCall[]): Row[] {
  const rows: Row[] = [];
  for (const { answer, ...asked } of calls) {
    const known = rows.find((row) => isDeepStrictEqual(row.asked, asked));
    if (known === undefined) rows.push({ asked, answers: [answer], given: 0 });
    else known.answers.push(answer);
  }
  return rows;
}

function best(rows: readonly Row[], asked: Asked): Row | undefined {
  const judged = rows.map((row) => ({ row, worth: worthOf(row, asked) }));
  return judged.toSorted((one, other) => compare(other.worth, one.worth))[0]?.row;
}

function worthOf({ asked, answers, given }: Row, { path, body, query }: Asked): readonly number[] {
  return [
    Number(asked.path === path),
    similarity(bodyOrNone(asked.body), bodyOrNone(body)),
    Number(asked.query === query),
    Number(given < answers.length),
  ];
}

function bodyOrNone(body: JsonValue | undefined): JsonValue {
  return body ?? {};
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index < 0 ? 0 : Number(one[index]) - Number(other[index]);
}
