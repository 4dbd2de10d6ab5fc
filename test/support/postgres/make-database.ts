import { Client } from 'pg';

/** Creates a database as a copy of another database, unless it exists; returns its URL. */
export async function makeDatabase(server: string, name: string, template = 'template0'): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database "${name}" template "${template}"`);
  } finally {
    await client.end();
  }
  const address = new URL(server.replace('@/', '@localhost/'));
  address.pathname = name;
  return address.href.replace('@localhost/', '@/');
}

/** Removes a database of a server, if it exists. */
export async function dropDatabase(server: string, name: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`drop database if exists "${name}" with (force)`);
  } finally {
    await client.end();
  }
}
