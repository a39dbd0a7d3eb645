import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectChain } from '@svc/contracts-evm';
import { freePort, localChainId } from '@svc/local-servers';
import { createLogger } from '@svc/observability';
import { connectDatabase } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { TcpLink, createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { tablesAway } from '../chain/chain-tables-away.error';
import { conditionOf } from './settlement-state';

describe('what an error of a step says', () => {
  let database: TestDatabase;
  let link: TcpLink;
  let prisma: PrismaClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    link = await TcpLink.open(database.billingUrl);
    prisma = await connectDatabase(link.url, 'billing', createLogger('test', 'silent'));
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await link.close();
    await database.drop();
  });

  const said = (failing: Promise<unknown>) =>
    failing.then(
      () => undefined,
      (error: unknown) => conditionOf(error).detail,
    );
  const ask = (rpcUrl: string) =>
    said(connectChain({ rpcUrl, chainId: BigInt(localChainId), timeoutMs: 300 }));

  it('names the chain when nobody is there, nobody answers, or with a refusal', async () => {
    expect(await ask(`http://127.0.0.1:${await freePort()}`)).toBe('the chain cannot be asked');
    for (const status of [undefined, 500]) {
      const server = createServer((_, reply) => status && reply.writeHead(status).end());
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as AddressInfo;
      expect(await ask(`http://127.0.0.1:${port}`)).toBe('the chain cannot be asked');
      server.closeAllConnections();
      server.close();
    }
  });

  it('names the database when it is lost', async () => {
    await prisma.$queryRaw`SELECT 1`;
    link.cut();
    for (let time = 0; time < 2; time++) {
      expect(await said(prisma.$queryRaw`SELECT 1`)).toBe('the database cannot be asked');
      expect(await said(prisma.$transaction(async (commit) => commit.$queryRaw`SELECT 1`))).toBe(
        'the database cannot be asked',
      );
      // As the chain's connection says it, which asks both.
      expect(await said(prisma.$queryRaw`SELECT 1`.catch(tablesAway))).toBe('the database cannot be asked');
    }
    link.restore();
  });

  it('names neither for what is wrong in the service itself', async () => {
    expect(await said(Promise.reject(new TypeError('undefined is no function')))).toBe(
      'a step failed, and the log says why',
    );
    expect(await said(prisma.$queryRaw`SELECT nothing`)).toBe('a step failed, and the log says why');
  });
});
