import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { scramVerifier } from './scram-verifier';
import { ensureRoles } from './service-roles';

let database: TestDatabase;
let owner: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client({ connectionString: database.adminUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

it('tells the server no password, which its log of statements would have', async () => {
  // The roles are those of every test: they keep their password.
  const password = decodeURIComponent(new URL(database.billingUrl).password);
  const query = jest.spyOn(owner, 'query');
  await ensureRoles(owner, { billing: password, catalog: password });
  const statements = query.mock.calls.map(([statement]) => String(statement));
  expect(statements.filter((statement) => statement.includes('PASSWORD'))).toHaveLength(2);
  expect(statements.join('\n')).not.toContain(password);
  const service = new Client({ connectionString: database.billingUrl });
  await service.connect();
  await service.end();
});

it.each(['s3cret', ` it's / a: "secret"$ `, 'a'.repeat(200), 'pässwörd ﬁ\u00a0\u00ad'])(
  'a role given a verifier of %j is let in with that password and no other',
  async (password) => {
    const role = `verified_${randomBytes(6).toString('hex')}`;
    const given = owner.escapeLiteral(scramVerifier(password));
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD ${given}`);
    await owner.query(`GRANT CONNECT ON DATABASE ${database.name} TO ${role}`);
    const connectWith = async (word: string) => {
      const { hostname, port } = new URL(database.adminUrl);
      const client = new Client({
        ...{ host: hostname, port: Number(port), database: database.name },
        ...{ user: role, password: word },
      });
      await client.connect();
      await client.end();
    };
    try {
      await connectWith(password);
      await expect(connectWith(`${password}x`)).rejects.toThrow(/password authentication failed/);
    } finally {
      await owner.query(`DROP OWNED BY ${role}`);
      await owner.query(`DROP ROLE ${role}`);
    }
  },
);
