import type { ModelDoor, ModelMessage, ModelPart, ModelRequest } from '../agent/model/model-call.ts';
import type { Redactor } from './redactor.ts';

/** A model that is told no value, whatever its agent puts into a request. What it said itself goes back as it was. */
export function guardModel(model: ModelDoor, redactor: Redactor): ModelDoor {
  return {
    seesImages: model.seesImages,
    hasNativeOutput: model.hasNativeOutput,
    call: (request) => model.call(withoutValues(request, redactor)),
  };
}

function withoutValues(request: ModelRequest, redactor: Redactor): ModelRequest {
  const { system, messages, outputSchema } = request;
  return {
    ...request,
    system: redactor.text(system),
    messages: messages.map((message) => messageWithout(message, redactor)),
    outputSchema: redactor.json(outputSchema),
  };
}

function messageWithout(message: ModelMessage, redactor: Redactor): ModelMessage {
  const shown = (part: ModelPart): ModelPart =>
    part.kind === 'text' ? { kind: 'text', text: redactor.text(part.text) } : part;
  if (message.role === 'user') return { role: 'user', parts: message.parts.map(shown) };
  if (message.role === 'model') return message;
  return { role: 'tools', results: message.results.map((result) => ({ ...result, parts: result.parts.map(shown) })) };
}
