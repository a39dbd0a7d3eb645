import { Client, DatabaseError } from 'pg';
import { ensureRoles } from './service-roles';

/** No such service is to be had here: what it answers is taken from reports. */
const REFUSAL =
  'Received HTTP code 400 from control plane: {"error":"Neon only supports being given plaintext passwords"}';
const INSUFFICIENT_PRIVILEGE = 'permission denied to create role';

/** A server without roles that refuses verifiers with this message. */
function serverThatSays(message: string) {
  const client = new Client();
  const statements: string[] = [];
  jest.spyOn(client, 'query').mockImplementation((statement: unknown) => {
    statements.push(String(statement));
    if (String(statement).includes('SCRAM-SHA-256'))
      throw new DatabaseError(message, message.length, 'error');
    return { rowCount: 0 };
  });
  return { client, statements };
}

it('gives a password to a service that takes no verifier', async () => {
  const { client, statements } = serverThatSays(REFUSAL);
  await ensureRoles(client, { billing: 'billing word', catalog: 'catalog word' });
  const given = statements.filter((statement) => /PASSWORD '(billing|catalog) word'/.test(statement));
  expect(given).toHaveLength(2);
});

it('gives it to no other', async () => {
  const { client, statements } = serverThatSays(INSUFFICIENT_PRIVILEGE);
  const done = ensureRoles(client, { billing: 'billing word', catalog: 'catalog word' });
  await expect(done).rejects.toThrow(INSUFFICIENT_PRIVILEGE);
  expect(statements.join()).not.toContain('word');
});
