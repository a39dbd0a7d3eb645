import { RUN_CREDIT_BYTES } from '@svc/contracts';
import type { RunSink } from './run-sink';

const PIECE_BYTES = 64 * 1024;

/**
 * Gives a stored stream to a sink at the client's pace, as dispatch would give it.
 * @param makeSink gets what is to be told how many more bytes may come
 */
export function feedStored(reply: Buffer, makeSink: (credit: (bytes: number) => void) => RunSink): void {
  let room = RUN_CREDIT_BYTES;
  let rest = reply;
  let ended = false;
  let feeding = false;
  const sink = makeSink((bytes) => {
    room += bytes;
    // A sink that takes a piece may ask for more before it returns.
    if (!feeding) feed();
  });
  function feed(): void {
    feeding = true;
    while (rest.length > PIECE_BYTES && room > 0) {
      const piece = rest.subarray(0, PIECE_BYTES);
      rest = rest.subarray(PIECE_BYTES);
      room -= piece.length;
      sink.data(piece);
    }
    feeding = false;
    if (ended || rest.length > PIECE_BYTES) return;
    ended = true;
    sink.end(rest);
  }
  feed();
}
