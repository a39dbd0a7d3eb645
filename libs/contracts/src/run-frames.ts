import { unpackEvents } from './event-shell';

/**
 * Frames from dispatch to a gateway's inbox. Binary, because tokens travel as ready bytes:
 *
 *     byte 0      type, one ASCII letter (FrameType); as a capital when the payload is packed (`packEvents`)
 *     bytes 1-4   sequence number within the run, from 0, unsigned big-endian: a gap means a lost frame
 *     bytes 5-12  dispatch's instance id, 8 ASCII characters: where credit and delivery notices go
 *     bytes 13-   payload
 *
 * A run is `(accepted | data)* (end | failure)`.
 */
const FRAME_TYPES = {
  /** The run is being worked on; sent when nothing else was for a while, at its beginning and later. No payload. */
  accepted: 'a',
  /** Ready SSE bytes for the client (streams only). */
  data: 'd',
  /** The run succeeded and is settled. Payload: the last SSE bytes with the `svc` chunk and `[DONE]`, or the JSON body. */
  end: 'e',
  /** The run failed and nothing is charged. Payload: `ErrorPayload` as JSON. */
  failure: 'f',
} as const;

export type FrameType = keyof typeof FRAME_TYPES;

export interface RunFrame {
  type: FrameType;
  sequence: number;
  instanceId: string;
  payload: Buffer;
}

export const INSTANCE_ID_LENGTH = 8;
const HEADER_LENGTH = 5 + INSTANCE_ID_LENGTH;

const TYPE_OF_BYTE = new Map<number, FrameType>(
  (Object.keys(FRAME_TYPES) as FrameType[]).map((type) => [FRAME_TYPES[type].charCodeAt(0), type]),
);
/** What makes a capital of an ASCII letter. */
const CAPITAL_BIT = 0x20;

/** A frame to be sent. */
interface FrameToSend extends Omit<RunFrame, 'payload'> {
  payload: string | Uint8Array;
  /** The payload is packed events; whoever decodes the frame gets what they are for a client. */
  isPacked?: boolean;
}

/** @throws RangeError when the instance id has not exactly 8 ASCII characters */
export function encodeFrame(frame: FrameToSend): Buffer {
  if (frame.instanceId.length !== INSTANCE_ID_LENGTH) throw new RangeError('instance id length');
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH + Buffer.byteLength(frame.payload));
  const letter = FRAME_TYPES[frame.type].charCodeAt(0);
  bytes.writeUInt8(frame.isPacked ? letter & ~CAPITAL_BIT : letter, 0);
  bytes.writeUInt32BE(frame.sequence, 1);
  bytes.write(frame.instanceId, 5, 'latin1');
  if (typeof frame.payload === 'string') bytes.write(frame.payload, HEADER_LENGTH, 'utf8');
  else bytes.set(frame.payload, HEADER_LENGTH);
  return bytes;
}

/** @returns undefined for bytes that are no frame */
export function decodeFrame(bytes: Uint8Array): RunFrame | undefined {
  if (bytes.length < HEADER_LENGTH) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const letter = buffer[0] ?? 0;
  const isPacked = (letter & CAPITAL_BIT) === 0;
  const type = TYPE_OF_BYTE.get(letter | CAPITAL_BIT);
  const given = buffer.subarray(HEADER_LENGTH);
  const payload = isPacked ? unpackEvents(given) : given;
  if (!type || !payload) return undefined;
  return {
    type,
    sequence: buffer.readUInt32BE(1),
    instanceId: buffer.toString('latin1', 5, HEADER_LENGTH),
    payload,
  };
}

/** Bytes a run may have on the way to a gateway before it must wait for credit. */
export const RUN_CREDIT_BYTES = 256 * 1024;
