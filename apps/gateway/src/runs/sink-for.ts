import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock';
import type { RequestRecord } from '../http/request-record';
import { PlainSink } from './plain-sink';
import type { RunSink } from './run-sink';
import type { ChunkIdentity } from './stream-events';
import { StreamSink } from './stream-sink';

/** One client's reply. */
interface ClientReply {
  raw: ServerResponse;
  record: RequestRecord;
  stream: boolean;
  identity: ChunkIdentity;
  /** Whoever works for it waits where this client is slow. */
  isWaitedFor: boolean;
}

/** @param credit called with how many more bytes may come */
export function sinkFor(
  { raw, record, stream, identity, isWaitedFor }: ClientReply,
  clock: Clock,
  credit: (bytes: number) => void,
): RunSink {
  if (!stream) return new PlainSink(raw, record, clock);
  return new StreamSink(raw, record, { identity, isWaitedFor }, clock, credit);
}
