import { type ChangeKindName, changeKinds, type Direction, type Verdict } from './change-kinds.ts';

/** A difference that was found, before it is judged. */
export interface Change {
  readonly kind: ChangeKindName;
  readonly direction: Direction;
  /** The operation and the place in it, for example `POST /sessions request.model`. */
  readonly where: string;
  /** What exactly, for example `"svc-mini"` or `10 -> 5`; empty where the kind says it all. */
  readonly detail: string;
}

/** A change with what it means for clients. */
export interface JudgedChange extends Change {
  readonly verdict: Verdict;
  /** `POST /sessions request.model: value removed "svc-mini"`. */
  readonly sentence: string;
  /** Why it breaks or may break; absent when the verdict is `fine`. */
  readonly why?: string;
}

/** What a change means for clients, by the table of kinds. */
export function judge(change: Change): JudgedChange {
  const kind = changeKinds[change.kind];
  const verdict = kind[change.direction];
  return {
    ...change,
    verdict,
    sentence: `${change.where}: ${kind.text}${change.detail === '' ? '' : ` ${change.detail}`}`,
    ...('why' in kind && verdict !== 'fine' ? { why: kind.why } : {}),
  };
}

/** Where something stands and how it travels there. */
export interface Place {
  readonly direction: Direction;
  readonly where: string;
}

/** The change of a kind at a place. */
export function changeAt({ direction, where }: Place, kind: ChangeKindName, detail = ''): Change {
  return { kind, direction, where, detail };
}

/** A place further in: `.member`, `[]` or a condition. */
export function below({ direction, where }: Place, suffix: string): Place {
  return { direction, where: `${where}${suffix}` };
}

/** The same thing before and after. */
export interface Pair<Value> {
  readonly old: Value;
  readonly new: Value;
}
