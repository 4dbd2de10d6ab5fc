/** Asks the service for the title of a page. This is the function under test: code of a client. */
export async function tellTitle(service: { url: string; key: string }, page: string): Promise<string> {
  const headers = { 'X-Service-API-Key': service.key, 'Content-Type': 'application/json' };
  const ask = async (path: string, body?: object): Promise<Session> => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${service.url}/api/v3${path}`, init);
    if (!response.ok) throw new Error(`the service answered ${response.status}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document of the interface says so
    return (await response.json()) as Session;
  };
  let session = await ask('/sessions', { task: `Open ${page} and tell me the title` });
  while (session.status === 'created' || session.status === 'running') session = await ask(`/sessions/${session.id}`);
  return String(session.output);
}

interface Session {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
}
