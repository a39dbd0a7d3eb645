import { DiscardPolicy, RetentionPolicy, StorageType, nanos } from 'nats';
import type { JetStreamClient, KV, KvOptions, StreamConfig } from 'nats';

/** What of nats.js's options decides how long a bucket keeps what, and how it is read. */
type BucketOptions = Partial<
  Pick<KvOptions, 'history' | 'storage' | 'ttl' | 'max_bytes' | 'allow_direct' | 'timeout'>
>;

/** Thrown when a bucket is there that was made with other settings: it would forget, or pass on, what it should not. */
export class BucketDiffersError extends Error {
  override readonly name = 'BucketDiffersError';

  constructor(bucket: string, differences: readonly string[]) {
    super(
      `the bucket ${bucket} was made otherwise: ${differences.join('; ')}. ` +
        `An operator has to remove the stream KV_${bucket}: it is made anew then`,
    );
  }
}

/**
 * Opens a bucket; makes it when there is none. Whoever comes first chooses its settings, and nats.js takes it as it is; services may not
 * change it (`deploy/nats/nats.conf`).
 * @throws BucketDiffersError when it has other settings; NatsError when JetStream does not answer
 */
export async function openBucket(
  jetstream: JetStreamClient,
  name: string,
  options: BucketOptions,
): Promise<KV> {
  // A copy: nats.js writes into it.
  const bucket = await jetstream.views.kv(name, { ...options });
  const { config } = (await bucket.status()).streamInfo;
  const differences = Object.entries(settingsOf(name, options)).flatMap(([setting, wanted]) => {
    const actual = config[setting as keyof StreamConfig];
    return inWords(actual) === inWords(wanted)
      ? []
      : `${setting} is ${inWords(actual)}, not ${inWords(wanted)}`;
  });
  if (differences.length > 0) throw new BucketDiffersError(name, differences);
  return bucket;
}

/** Not how many servers keep it, and where: operators choose that. */
function settingsOf(name: string, options: BucketOptions): Partial<StreamConfig> {
  return {
    subjects: [`$KV.${name}.>`],
    retention: RetentionPolicy.Limits,
    storage: options.storage ?? StorageType.File,
    max_msgs_per_subject: options.history ?? 1,
    max_msgs: -1,
    max_age: nanos(options.ttl ?? 0),
    max_bytes: options.max_bytes ?? -1,
    discard: DiscardPolicy.New,
    ...(options.allow_direct !== undefined && { allow_direct: options.allow_direct }),
    mirror: undefined,
    sources: undefined,
    republish: undefined,
    subject_transform: undefined,
  };
}

function inWords(setting: unknown): string {
  return setting === undefined ? 'none' : JSON.stringify(setting);
}
