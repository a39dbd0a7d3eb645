import { decodeFrame } from '@svc/contracts';
import type { HoldReference, RunFrame } from '@svc/contracts';
import { internalError, noCapacity, parseErrorPayload } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import { isNoResponders } from '@svc/messaging';
import type { Msg } from 'nats';
import type { RunSink } from './run-sink';

/** A run that nobody takes up within this has no taker. */
export const ACCEPT_WITHIN_MS = 3_000;
/** Longer than any offer's timers together should take between two frames; something is lost then. */
export const SILENCE_MS = 330_000;
/** How long dispatch may take to close a run whose client is gone, before it is forgotten here. */
export const CANCEL_PATIENCE_MS = 30_000;

/** What a run asks of its surroundings. */
export interface RunPorts {
  heard(instanceId: string): void;
  cancel(requestId: string): void;
  delivered(instanceId: string, requestId: string): void;
  abandon(hold: HoldReference, reason: string): void;
  /** Called once, when no more is expected of the run. */
  over(run: Run): void;
}

const LOST = noCapacity('Contact to the serving side was lost. Nothing was charged.', 1).payload;
const UNTAKEN = noCapacity('Nothing can serve the request now. Nothing was charged.').payload;

/**
 * One run as the gateway sees it: frames come in, the client gets exactly one outcome, and the hold is let go of
 * whenever that outcome is the gateway's own word instead of dispatch's.
 *
 *     open ──client gone──▶ cancelled ──end, failure, patience──▶ over
 *       └──end, failure (dispatch's word) or given up (ours)────▶ over
 */
export class Run {
  private state: 'open' | 'cancelled' | 'over' = 'open';
  private nextSequence = 0;
  private serving: string | undefined;
  private heardSinceTick = false;
  private lastHeardMs: number;

  /** @param hold its id is the request's */
  constructor(
    readonly hold: HoldReference,
    private readonly sink: RunSink,
    private readonly ports: RunPorts,
    private readonly startedMs: number,
  ) {
    this.lastHeardMs = startedMs;
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** The dispatch instance that works on it, once one was heard. */
  get instanceId(): string | undefined {
    return this.serving;
  }

  /** Takes what arrived on the run's inbox. */
  take(message: Msg): void {
    if (this.state === 'over') return;
    if (isNoResponders(message)) return this.giveUp(UNTAKEN, 'no_dispatch');
    const frame = decodeFrame(message.data);
    if (!frame || !this.follows(frame)) return this.lose('lost_frames');
    this.heardSinceTick = true;
    this.act(frame);
  }

  /** The reply's connection is closed. Before the outcome it means that the work is to stop. */
  clientGone(): void {
    if (this.state !== 'open') return;
    this.state = 'cancelled';
    this.ports.cancel(this.hold.holdId);
  }

  /** Dispatch can no longer be heard, or was not heard whole. After a cancel the outcome is its own affair. */
  lose(reason: string): void {
    if (this.state === 'cancelled' && this.serving !== undefined) this.close();
    else this.giveUp(LOST, reason);
  }

  /** Ends the run on the gateway's own account: the client is told, the work is stopped, the hold let go. */
  giveUp(payload: ErrorPayload, reason: string): void {
    if (this.state === 'over') return;
    const told = this.state === 'cancelled';
    this.close();
    this.ports.abandon(this.hold, reason);
    this.ports.cancel(this.hold.holdId);
    if (!told) this.sink.fail(payload);
  }

  /** Called a few times a second. */
  tick(nowMs: number): void {
    this.sink.tick(nowMs);
    if (this.state === 'over') return;
    if (this.heardSinceTick) this.lastHeardMs = nowMs;
    this.heardSinceTick = false;
    if (this.serving === undefined) {
      if (nowMs - this.startedMs >= ACCEPT_WITHIN_MS) this.giveUp(UNTAKEN, 'not_accepted');
      return;
    }
    const patienceMs = this.state === 'cancelled' ? CANCEL_PATIENCE_MS : SILENCE_MS;
    if (nowMs - this.lastHeardMs >= patienceMs) this.lose('silence');
  }

  private follows({ sequence, instanceId }: RunFrame): boolean {
    if (this.serving === undefined) {
      this.serving = instanceId;
      this.ports.heard(instanceId);
    }
    const inOrder = sequence === this.nextSequence && instanceId === this.serving;
    this.nextSequence = sequence + 1;
    // Nobody reads the bytes of a cancelled run; only its end counts.
    return inOrder || this.state === 'cancelled';
  }

  private act(frame: RunFrame): void {
    const told = this.state === 'cancelled';
    switch (frame.type) {
      case 'accepted':
        return;
      case 'data':
        if (!told) this.sink.data(frame.payload);
        return;
      case 'end':
        this.close(frame.instanceId);
        if (!told) this.sink.end(frame.payload);
        return;
      case 'failure':
        this.close(frame.instanceId);
        if (!told) this.sink.fail(failureOf(frame.payload));
        return;
    }
  }

  /** @param deliveredTo whose outcome it is, when it is dispatch's */
  private close(deliveredTo?: string): void {
    this.state = 'over';
    if (deliveredTo !== undefined) this.ports.delivered(deliveredTo, this.hold.holdId);
    this.ports.over(this);
  }
}

function failureOf(payload: Buffer): ErrorPayload {
  try {
    return parseErrorPayload(JSON.parse(payload.toString('utf8'))) ?? internalError().payload;
  } catch {
    return internalError().payload;
  }
}
