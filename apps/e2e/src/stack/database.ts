import { Client } from 'pg';

/** Rows of a marketplace's database, read as its superuser. */
export async function rowsOf<T extends object>(
  databaseUrl: string,
  query: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<T>(query, values)).rows;
  } finally {
    await client.end();
  }
}
