import type { ModelDoor, ModelMessage, ModelPart, ModelRequest } from '../model/model-call.ts';
import type { Redactor } from './redactor.ts';

/** A model that is told no value, whatever its agent puts into a request. What it said itself goes back as it was. */
export function guardModel(model: ModelDoor, redactor: Redactor): ModelDoor {
  return {
    seesImages: model.seesImages,
    hasNativeOutput: model.hasNativeOutput,
    call: async (request) => model.call(await withoutValues(request, redactor)),
  };
}

async function withoutValues(request: ModelRequest, redactor: Redactor): Promise<ModelRequest> {
  const { system, messages, outputSchema } = request;
  return {
    ...request,
    system: await redactor.paced(system),
    messages: await inOrder(messages, (message) => messageWithout(message, redactor)),
    outputSchema: await redactor.paced(outputSchema),
  };
}

async function messageWithout(message: ModelMessage, redactor: Redactor): Promise<ModelMessage> {
  const shown = (parts: readonly ModelPart[]): Promise<ModelPart[]> =>
    inOrder(parts, async (part) =>
      part.kind === 'text' ? { kind: 'text', text: await redactor.paced(part.text) } : part,
    );
  if (message.role === 'user') return { role: 'user', parts: await shown(message.parts) };
  if (message.role === 'model') return message;
  const results = await inOrder(message.results, async (result) => ({ ...result, parts: await shown(result.parts) }));
  return { role: 'tools', results };
}

/** Maps values one after another, so that pauses between them are kept. */
async function inOrder<From, To>(values: readonly From[], map: (value: From) => Promise<To>): Promise<To[]> {
  const mapped: To[] = [];
  for (const value of values) mapped.push(await map(value));
  return mapped;
}
