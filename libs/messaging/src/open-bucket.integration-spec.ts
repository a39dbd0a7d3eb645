import { PrivateNats } from '@svc/testing';
import type { NatsUser } from '@svc/testing';
import { RetentionPolicy, StorageType } from 'nats';
import type { StreamConfig } from 'nats';
import { openBucket } from './open-bucket';

const OPTIONS = {
  history: 1,
  storage: StorageType.File,
  ttl: 600_000,
  max_bytes: 1_000_000,
  allow_direct: false,
};

describe('a bucket', () => {
  let nats: PrivateNats;

  beforeAll(async () => (nats = await PrivateNats.start()));
  afterAll(() => nats.close());

  const open = async (user: NatsUser, name: string, options: typeof OPTIONS) =>
    openBucket((await nats.connectAs(user)).connection.jetstream(), name, { ...options });

  it('is made when there is none, and opened by the next', async () => {
    await (await open('gateway', 'gateway_sessions', OPTIONS)).put('key', 'value');
    expect((await (await open('gateway', 'gateway_sessions', OPTIONS)).get('key'))?.string()).toBe('value');
  });

  it('that was made otherwise is not used, and it is said in what it differs', async () => {
    const { connection } = await nats.connectAs('gateway');
    const manager = await connection.jetstreamManager({ checkAPI: false });
    const made: Partial<StreamConfig> & { name: string } = {
      name: 'KV_gateway_nonces',
      subjects: ['$KV.gateway_nonces.>', 'billing.v1.hold.settle'],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_msgs_per_subject: 1,
      max_age: 1_000_000_000,
      republish: { src: '>', dest: 'elsewhere.>' },
    };
    await manager.streams.add(made);
    await expect(open('gateway', 'gateway_nonces', OPTIONS)).rejects.toMatchObject({
      name: 'BucketDiffersError',
      message:
        'the bucket gateway_nonces was made otherwise: ' +
        'subjects is ["$KV.gateway_nonces.>","billing.v1.hold.settle"], not ["$KV.gateway_nonces.>"]; ' +
        'max_age is 1000000000, not 600000000000; max_bytes is -1, not 1000000; discard is "old", not "new"; ' +
        'republish is {"src":">","dest":"elsewhere.>"}, not none. ' +
        'An operator has to remove the stream KV_gateway_nonces: it is made anew then',
    });
  });

  it('is not used with other options than it was made with', async () => {
    await open('dispatch', 'dispatch_places', OPTIONS);
    const other = { ...OPTIONS, history: 2, storage: StorageType.Memory, allow_direct: true };
    await expect(open('dispatch', 'dispatch_places', other)).rejects.toThrow(
      'storage is "file", not "memory"; max_msgs_per_subject is 1, not 2; allow_direct is false, not true',
    );
  });
});
