import type { IncomingMessage } from 'node:http';
import { GatheredBytes, TransientMap } from '@svc/collections';

/** What bodies of one kind may take. */
export interface BodyLimits {
  /** Larger bodies are refused with 413. */
  limitBytes: number;
  /** What all of these requests together may hold of bodies that have not come whole; beyond it one has to go, with 503. */
  maxCollectedBytes: number;
}

/** What becomes of a body; one of these is called, once. */
interface Collected {
  whole: (bytes: Buffer) => void;
  tooLarge: () => void;
  /** Its room was wanted. There is no telling whether the rest would ever come. */
  crowdedOut: () => void;
}

/** What a body must bring to count as coming on: a byte now and then keeps no place. */
const PROGRESS_BYTES = 16 * 1024;

const NOTHING = Buffer.alloc(0);

/** A body that is refused is read to its end, so that the client gets to see the answer; up to here. */
const MOST_DISCARDED_BYTES = 256 * 1024 * 1024;
/** Who is still sending sends something within it; who does not waits for the answer. */
const PAUSE_MS = 1_000;

/**
 * Keeps what has come of bodies until they are whole, and counts it. When there is no more room, the body goes that has not come on for
 * the longest: whoever stops half-way is not served at the expense of those who do not.
 */
export class BodyCollector<Limits extends BodyLimits = BodyLimits> {
  private keptBytes = 0;
  private begun = 0;
  /** How to let go of each body of which more is to come: first the one that has not come on for the longest. */
  private readonly unfinished = new TransientMap<number, () => void>();

  constructor(readonly terms: Limits) {}

  /** Calls back once, or never when the client breaks off: nobody waits for an answer then. */
  collect(payload: IncomingMessage, { whole, tooLarge, crowdedOut }: Collected): void {
    const id = this.begun++;
    // Not a number where the body comes in chunks of its own: its last one is not known by its size.
    const announced = Number(payload.headers['content-length']);
    let first: Buffer = NOTHING;
    // Mostly there is one piece. How small further ones are is up to the client, and each takes some hundred bytes beside what it holds.
    let gathered: GatheredBytes | undefined;
    let length = 0;
    let nextProgress = 0;
    const keep = (piece: Buffer) => {
      if (length === 0) first = piece;
      else {
        gathered ??= gatheredFrom(first);
        gathered.add(piece);
      }
      length += piece.length;
      this.keptBytes += piece.length;
    };
    const letGo = () => {
      payload.off('data', onData).off('end', onEnd).off('close', letGo);
      this.unfinished.delete(id);
      this.keptBytes -= length;
      first = NOTHING;
      gathered = undefined;
    };
    const giveUp = (tell: () => void) => {
      letGo();
      discard(payload);
      tell();
    };
    const crowdOut = () => giveUp(crowdedOut);
    const onData = (piece: Buffer) => {
      keep(piece);
      if (length > this.terms.limitBytes) return giveUp(tooLarge);
      // What has come whole, mostly at once, keeps nobody waiting.
      if (length !== announced && length >= nextProgress) {
        nextProgress = length + PROGRESS_BYTES;
        this.unfinished.delete(id);
        this.unfinished.set(id, crowdOut);
      }
      this.makeRoom(crowdOut);
    };
    const onEnd = () => {
      const bytes = gathered?.concat() ?? first;
      letGo();
      whole(bytes);
    };
    payload.on('data', onData).on('end', onEnd).on('close', letGo);
    payload.on('error', () => undefined);
  }

  /** @param crowdOutLatest how to let go of what came last, where nobody keeps others waiting */
  private makeRoom(crowdOutLatest: () => void): void {
    while (this.keptBytes > this.terms.maxCollectedBytes) {
      const [stalest = crowdOutLatest] = this.unfinished.values();
      stalest();
    }
  }
}

function gatheredFrom(piece: Buffer): GatheredBytes {
  const gathered = new GatheredBytes();
  gathered.add(piece);
  return gathered;
}

/** Reads what nobody wants. */
export function discard(payload: IncomingMessage): void {
  let discarded = 0;
  payload.on('error', () => undefined);
  payload.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MOST_DISCARDED_BYTES) payload.destroy();
  });
}

/** Calls back once, when all of it has come or nothing more does; never when the client breaks off. */
export function whenSent(payload: IncomingMessage, tell: () => void): void {
  let waiting: NodeJS.Immediate | undefined;
  const onData = () => {
    clearImmediate(waiting);
    pause.refresh();
  };
  const letGo = () => {
    clearTimeout(pause);
    clearImmediate(waiting);
    payload.off('data', onData).off('end', onSent).off('close', letGo);
  };
  const onSent = () => {
    letGo();
    tell();
  };
  // Timers run before what has come is read: more may lie there, if this process stood still.
  const pause = setTimeout(() => (waiting = setImmediate(onSent)), PAUSE_MS);
  payload.on('data', onData).on('end', onSent).on('close', letGo);
}
