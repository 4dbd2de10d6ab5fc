import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';

/** A function that answers one model call. It is called after the request body was read. */
export type AnswerModel = (path: string, response: ServerResponse) => void;

/** A model provider on loopback with scripted responses. */
export interface ModelScript {
  readonly address: string;
  /** Sets the function that answers later calls. */
  use(answer: AnswerModel): void;
  close(): Promise<void>;
}

/** Starts a provider on a free port. By default, each of its responses ends the task. */
export async function startModelScript(): Promise<ModelScript> {
  let answer: AnswerModel = (path, response) => sendJson(response, finishing(path));
  const server = createServer((request: IncomingMessage, response) => {
    request.resume().once('end', () => answer(request.url ?? '', response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('expected a port');
  return {
    address: `http://127.0.0.1:${place.port}`,
    use: (next) => void (answer = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends a JSON response. */
export function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** Returns a response with a tool call, in the format of the API at the path. `input` is a JSON text. */
export function calling(path: string, name: string, input: string): string {
  if (path.includes('messages'))
    return `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":${JSON.stringify(name)},"input":${input}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`;
  const call = `{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(input)}`;
  if (path.includes('responses'))
    return `{"id":"r","object":"response","status":"completed","error":null,"output":[{"type":"function_call","id":"f","call_id":"c","status":"completed",${call.slice(1)}}],"usage":{"input_tokens":1,"output_tokens":1}}`;
  return `{"id":"c","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":${call}}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`;
}

/** Returns a response with text, in the format of the API at the path. `text` is a JSON string with its quotes. */
export function saying(path: string, text: string): string {
  if (path.includes('messages'))
    return `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":${text}}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`;
  if (path.includes('responses'))
    return `{"id":"r","object":"response","status":"completed","error":null,"output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":${text},"annotations":[]}]}],"usage":{"input_tokens":1,"output_tokens":1}}`;
  return `{"id":"c","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":${text}}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`;
}

/** Returns a response that ends a task, in the format of the API at the path. */
export function finishing(path: string): string {
  return calling(path, 'finish', '{"success":true,"text":"done"}');
}
