import { Client } from 'pg';

const perMajor = 10_000;

/** The major version of the PostgreSQL at an address. Rejects when it cannot be reached or lets nobody in. */
export async function databaseVersion(address: string): Promise<number> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
    return Math.floor(Number(rows[0]?.version) / perMajor);
  } finally {
    await client.end();
  }
}
