import type { JsonValue } from '#lib/json.ts';
import type { WireReply } from '#contract/http-messages.ts';

/** A call that somebody recorded. */
export interface RecordedCall {
  /** Upper case. */
  readonly method: string;
  /** From `/api/` on, without query, as it was recorded. */
  readonly path: string;
  /** The path of its operation, such as `/api/v4/runs/{run_id}`. */
  readonly template: string;
  /** Without its question mark; in the order of the names. */
  readonly query: string;
  /** undefined for none, and for what is no JSON. */
  readonly body: JsonValue | undefined;
  readonly answer: WireReply;
}
