import { SETTLEMENT_QUEUE } from '@svc/contracts';
import { AckPolicy, DeliverPolicy, NatsError, RetentionPolicy, StorageType, nanos } from 'nats';
import type { Consumer, ConsumerConfig, NatsConnection, StreamConfig } from 'nats';

const DUPLICATE_WINDOW_MS = 120_000;
/** After which a message that was neither applied nor given back is delivered again. */
export const ACK_WAIT_MS = 30_000;
const MAX_UNDER_WAY = 2_048;
/** A server that has just come back may drop the first questions: asking again helps, waiting longer does not. */
const ANSWER_TIMEOUT_MS = 2_000;

/** JetStream API error: the stream stands, with other settings. */
const STREAM_DIFFERS = 10_058;

const stream: Partial<StreamConfig> & { name: string } = {
  name: SETTLEMENT_QUEUE.stream,
  subjects: [SETTLEMENT_QUEUE.deferSubject, SETTLEMENT_QUEUE.releaseSubject],
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  max_msg_size: 65_536,
};

const consumer: Partial<ConsumerConfig> = {
  durable_name: SETTLEMENT_QUEUE.consumer,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(ACK_WAIT_MS),
  max_ack_pending: MAX_UNDER_WAY,
};

/**
 * Makes sure that the queue of deferred settlements and billing's durable consumer stand as declared here.
 * @throws NatsError when JetStream does not answer, or refuses
 */
export async function openHoldQueueStream(connection: NatsConnection): Promise<Consumer> {
  const manager = await connection.jetstreamManager({ timeout: ANSWER_TIMEOUT_MS });
  try {
    await manager.streams.add(stream);
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== STREAM_DIFFERS) throw error;
    await manager.streams.update(stream.name, stream);
  }
  const known = await manager.consumers.info(stream.name, SETTLEMENT_QUEUE.consumer).catch(() => undefined);
  if (known) await manager.consumers.update(stream.name, SETTLEMENT_QUEUE.consumer, consumer);
  else await manager.consumers.add(stream.name, consumer);
  const jetstream = connection.jetstream({ timeout: ANSWER_TIMEOUT_MS });
  return jetstream.consumers.get(stream.name, SETTLEMENT_QUEUE.consumer);
}
