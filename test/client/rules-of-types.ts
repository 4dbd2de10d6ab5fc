import type { Client, CreateRun } from '../../src/client/index.ts';

/**
 * Lists accepted and refused uses of the client's types; it never runs. A line below `@ts-expect-error` that compiles
 * is an error of `npm run lint:types`.
 */
export async function rulesOfTypes({ v2, v3, v4 }: Client): Promise<void> {
  const body = { task: 'x', model: 'gpt-5.6-luna' } as const;
  // Every generation carries its reasoning control (contract 9 Versioning 6).
  await v2.POST('/tasks', { body: { task: 'x', llm: 'o3', thinkingLevel: 'low' } });
  await v3.POST('/sessions', { body: { task: 'x', model: 'svc-max', thinkingLevel: null } });
  await v4.POST('/runs', { body: { ...body, modelParams: { reasoning: { effort: 'low' } } } });
  // The types accept a model that is newer than the client (contract 9 Versioning 6).
  await v4.POST('/runs', { body: { task: 'x', model: 'gpt-9' } });
  // @ts-expect-error -- the model is passed explicitly (contract 4 V4 POST runs)
  await v4.POST('/runs', { body: { task: 'x' } });
  // Browser settings name a country, or null for no proxy (contract 9 Versioning 7).
  await v4.POST('/runs', { body: { ...body, browserSettings: { proxyCountryCode: 'us' } } });
  await v4.POST('/runs', { body: { ...body, browserSettings: { proxyCountryCode: null, screenWidth: 800 } } });
  await v4.POST('/runs', { body: { ...body, browserSettings: null } });
  // @ts-expect-error -- no country
  const without: CreateRun = { ...body, browserSettings: { screenWidth: 800 } };
  // @ts-expect-error -- no country
  await v4.POST('/runs', { body: { ...body, browserSettings: { screenWidth: 800 } } });
  // @ts-expect-error -- no such country
  await v4.POST('/runs', { body: { ...without, browserSettings: { proxyCountryCode: 'xx' } } });
  // Answers have the types of the documents.
  const { id, cdpUrl } = await v4.POST('/browsers', { body: {} });
  id satisfies string;
  cdpUrl satisfies string | null;
  // @ts-expect-error -- an id is no number
  id satisfies number;
  // @ts-expect-error -- no such operation
  await v4.GET('/tasks');
  // @ts-expect-error -- the id is missing
  await v3.GET('/sessions/{session_id}');
  (await v2.DELETE('/sessions/{session_id}', { params: { path: { session_id: id } } })) satisfies undefined;
}
