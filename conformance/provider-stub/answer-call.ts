import type { JsonObject } from '../core/json.ts';
import { type Script, chooseReplyContent } from './choose-saying.ts';
import { chatWire } from './chat.ts';
import { googleWire } from './google.ts';
import { messagesWire } from './messages.ts';
import { responsesWire } from './responses.ts';
import type { Wire } from './wire.ts';
import type { ProviderCall, WireFamily } from '../core/provider-call.ts';

const wires: Readonly<Record<WireFamily, Wire>> = {
  responses: responsesWire,
  chat: chatWire,
  messages: messagesWire,
  google: googleWire,
};

/** HTTP response of the stub to one model call. */
export interface StubAnswer {
  status: number;
  type: string;
  text: string;
}

/** Input for a response besides the logged call. */
export interface AnswerOptions {
  script: Script;
  /** Text of an answer without a tool call. */
  text: string;
  /** `events`: a stream as server-sent events; `list`: a stream as one JSON list; `whole`: one JSON object. */
  form: 'events' | 'list' | 'whole';
  /** The request body with texts of full length, from which the stub reads tools and schemas. */
  body: JsonObject;
}

/**
 * Answers a model call like its provider: with 400 if the request violates the provider's rules, otherwise with the
 * smallest valid response.
 */
export function answerCall(call: ProviderCall, { script, text, form, body }: AnswerOptions): StubAnswer {
  const wire = wires[call.family];
  if (call.breaches.length > 0) return jsonAnswer(400, wire.problem(call.breaches.join('; ')));
  const saying = chooseReplyContent(wire.offer(body), script, text);
  const answer = wire.answer(saying, { model: call.model, index: call.index, body });
  if (form === 'whole') return jsonAnswer(200, answer);
  const events = wire.events(answer);
  if (form === 'list')
    return { status: 200, type: 'application/json', text: JSON.stringify(events.map(({ data }) => data)) };
  const lines = events.map(
    ({ name, data }) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`,
  );
  return { status: 200, type: 'text/event-stream', text: lines.join('') + wire.end };
}

/** Creates a response with a JSON body. */
export function jsonAnswer(status: number, body: JsonObject): StubAnswer {
  return { status, type: 'application/json', text: JSON.stringify(body) };
}
