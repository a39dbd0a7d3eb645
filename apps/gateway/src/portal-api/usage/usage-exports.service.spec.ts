import { once } from 'node:events';
import { USAGE_EXPORT } from '@svc/contracts';
import type { InboxHandler, RpcClient } from '@svc/messaging';
import { headers } from 'nats';
import { UsageExportsService } from './usage-exports.service';

const ANSWERS = '_INBOX.billing.fake0001.export.1';

/** Billing with one chunk on its way, and more after it is acknowledged. */
function setUp() {
  const told: string[] = [];
  let deliver: InboxHandler = () => undefined;
  const rpc = {
    messaging: { connection: { isClosed: () => false, isDraining: () => false } },
    inbox: {
      openReusable: (_answerer: string, handler: InboxHandler) => {
        deliver = handler;
        return { subject: '_INBOX.gateway.one', close: () => undefined };
      },
    },
    publisher: {
      publish: (subject: string, data: string) => {
        if (subject === ANSWERS) return void told.push(data);
        const numbered = headers();
        numbered.set(USAGE_EXPORT.sequenceHeader, '0');
        deliver({ data: Buffer.from('request_id\r\n'), headers: numbered, reply: ANSWERS });
      },
    },
  };
  return { told, exports: new UsageExportsService(rpc as unknown as RpcClient) };
}

describe('an export', () => {
  it('is stopped when its reader has left, also before anything was read', async () => {
    const { told, exports } = setUp();
    const stream = await exports.start('0xa', {});
    stream.destroy();
    await once(stream, 'close');
    await new Promise(setImmediate);
    expect(told).toEqual([USAGE_EXPORT.stop]);
    // Nothing of it is left: the next one begins.
    (await exports.start('0xa', {})).destroy();
  });
});
