import type { ClientBase } from 'pg';

/**
 * Whether a pooler in between gives these two connections the server's in turns, a transaction at a time: settings, prepared statements and
 * locks of a session are then somebody else's a moment later. One that is busy with others may escape notice.
 */
export async function isPooledByTransaction(first: ClientBase, second: ClientBase): Promise<boolean> {
  const before = await backendOf(first);
  await second.query('BEGIN');
  const meanwhile = await backendOf(second);
  // Asked while the second has a transaction open, unless what it has is the first's already: that one may be all there is.
  const after = meanwhile === before ? before : await backendOf(first);
  await second.query('COMMIT');
  return meanwhile === before || after !== before;
}

async function backendOf(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
