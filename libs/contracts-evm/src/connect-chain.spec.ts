import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@svc/observability';
import { connectChain } from './connect-chain';

describe('connectChain', () => {
  it.each([403, 500])(
    'tells nobody the server’s URL, in which its key may be, when it answers %d',
    async (status) => {
      const server = createServer((_, reply) => reply.writeHead(status).end('over the limit')).listen(
        0,
        '127.0.0.1',
      );
      await once(server, 'listening');
      const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/key-of-the-house`;
      const error = await connectChain({ rpcUrl, chainId: 1n }).catch((reason: unknown) => reason);
      server.close();
      const lines: string[] = [];
      const logger = createLogger('test', 'warn', { write: (line: string) => void lines.push(line) });
      logger.warn({ err: new Error('the chain could not be asked', { cause: error }) }, 'outer');
      logger.warn({ err: error }, 'itself');
      expect(lines).toHaveLength(2);
      // What it says helps, and is read for what became of a transaction.
      for (const line of lines) expect(line).toMatch(new RegExp(`${status}.*over the limit`));
      for (const line of lines) expect(line).not.toContain('key-of-the-house');
    },
  );
});
