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
}

/** @param credit called with how many more bytes may come */
export function sinkFor(
  { raw, record, stream, identity }: ClientReply,
  clock: Clock,
  credit: (bytes: number) => void,
): RunSink {
  return stream ? new StreamSink(raw, record, identity, clock, credit) : new PlainSink(raw, record, clock);
}
