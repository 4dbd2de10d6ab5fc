import type { Soon } from '#lib/maybe-promise.ts';
import type { WireReply, WireRequest } from '#contract/http-messages.ts';

/** Stands between the network and whoever answers: may wait, look at what is asked and answered, and hand on a request of its own. */
export type Around = (request: WireRequest, answer: (request: WireRequest) => Soon<WireReply>) => Soon<WireReply>;
