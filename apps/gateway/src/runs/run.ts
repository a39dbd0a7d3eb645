import { RUN_SILENCE_MS, decodeFrame } from '@svc/contracts';
import type { HoldReference, RunFrame } from '@svc/contracts';
import { internalError, noCapacity, parseErrorPayload } from '@svc/errors';
import type { ErrorCode, ErrorPayload } from '@svc/errors';
import { holdsJetStreamAnswer, isNoResponders } from '@svc/messaging';
import type { InboxMessage } from '@svc/messaging';
import type { RunSink } from './run-sink';

/** A run that nobody takes up within this has no taker. */
const ACCEPT_WITHIN_MS = 3_000;
/** How long dispatch may take to close a run whose client is gone, before it is forgotten here. */
const CANCEL_PATIENCE_MS = 30_000;

/**
 * What a run is to this gateway:
 * - `sole`: its client is the only one, and the work is for nobody else;
 * - `originator`: an idempotent run that was started here. It goes on without its client;
 * - `follower`: an idempotent run that another request started, here or elsewhere.
 */
export type RunRole = 'sole' | 'originator' | 'follower';

/** What a run asks of its surroundings. */
export interface RunPorts {
  heard(instanceId: string): void;
  cancel(requestId: string): void;
  /** This client listens no more; the run goes on. */
  detach(): void;
  delivered(instanceId: string, requestId: string): void;
  /** @param code what the client is told, if it is told anything */
  letGo(hold: HoldReference, reason: string, code?: ErrorCode): void;
  /** Called once, when no more is expected of the run. */
  over(): void;
}

const LOST = noCapacity('Contact to the serving side was lost. Nothing was charged.', 1).payload;
const UNTAKEN = noCapacity('Nothing can serve the request now. Nothing was charged.').payload;

const UNHEARD: ErrorPayload = {
  ...noCapacity(
    'Contact to the serving side was lost. Repeat the request under the same Idempotency-Key: it is charged once.',
    1,
  ).payload,
  goesOn: true,
};

/** Of these, dispatch knows nothing: an idempotent run that it has taken up goes on, and waits for whoever repeats the request. */
const OURS_ALONE: ReadonlySet<string> = new Set(['nats_lost', 'lost_frames', 'shutdown']);

/**
 * One run as the gateway sees it: frames come in, the client gets exactly one outcome, and the hold is let go of
 * whenever that outcome is the gateway's own word instead of dispatch's; of an idempotent run, whenever it cannot be known
 * that the work goes on.
 *
 *     open ──client gone──▶ cancelled ──end, failure, patience──▶ over
 *       └──end, failure (dispatch's word) or given up (ours)────▶ over
 *
 * An idempotent run is over here as soon as its client is gone and dispatch has been heard.
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
    private readonly role: RunRole = 'sole',
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
  take(message: InboxMessage): void {
    if (this.state === 'over') return;
    if (isNoResponders(message)) return this.giveUp(UNTAKEN, 'no_dispatch');
    const frame = decodeFrame(message.data);
    // Not of dispatch: whoever may ask JetStream anything can have it answer here.
    if (!frame && holdsJetStreamAnswer(message.data)) return;
    if (!frame || !this.follows(frame)) return this.lose('lost_frames');
    this.heardSinceTick = true;
    if (this.state === 'cancelled' && this.role !== 'sole') return this.leave();
    this.act(frame);
  }

  /** The reply's connection is closed. Before the outcome it means that the work is to stop, unless it is idempotent. */
  clientGone(): void {
    if (this.state !== 'open') return;
    this.state = 'cancelled';
    if (this.role === 'sole') this.ports.cancel(this.hold.holdId);
    else if (this.serving !== undefined) this.leave();
    // Until it is known that somebody has taken it up, the hold is ours to let go of.
  }

  /** Dispatch can no longer be heard, or was not heard whole. */
  lose(reason: string): void {
    this.giveUp(LOST, reason);
  }

  /**
   * Ends the run on the gateway's own account: the client is told, the work is stopped, the hold let go. After a cancel the outcome is
   * dispatch's own affair, if it has taken the run up: whoever left pays for what was passed on.
   */
  giveUp(payload: ErrorPayload, reason: string): void {
    if (this.state === 'over') return;
    if (this.state === 'cancelled' && this.serving !== undefined) {
      // Perhaps the cancel was lost.
      this.ports.cancel(this.hold.holdId);
      return this.close();
    }
    const hasClient = this.state === 'open';
    this.close();
    const goesOn = this.role === 'follower' || (this.role === 'originator' && this.isTaken(reason));
    if (goesOn) {
      this.ports.detach();
    } else {
      this.ports.letGo(this.hold, reason, hasClient ? payload.code : undefined);
      this.ports.cancel(this.hold.holdId);
    }
    if (hasClient) this.sink.fail(goesOn || this.mayBeCharged(reason) ? UNHEARD : payload);
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
    const patienceMs = this.state === 'cancelled' ? CANCEL_PATIENCE_MS : RUN_SILENCE_MS;
    if (nowMs - this.lastHeardMs >= patienceMs) this.lose('silence');
  }

  private isTaken(reason: string): boolean {
    return this.serving !== undefined && OURS_ALONE.has(reason);
  }

  /** Whoever runs it may have finished it unheard: the charge of an idempotent run stands, and its reply waits under the key. */
  private mayBeCharged(reason: string): boolean {
    return this.role !== 'sole' && reason !== 'no_dispatch';
  }

  /** Nobody here listens any more to a run that goes on. */
  private leave(): void {
    this.close();
    this.ports.detach();
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
    const hasClient = this.state === 'open';
    switch (frame.type) {
      case 'accepted':
        return;
      case 'data':
        if (hasClient) this.sink.data(frame.payload);
        return;
      case 'end':
        this.close(frame.instanceId);
        if (hasClient) this.sink.end(frame.payload);
        return;
      case 'failure':
        this.close(frame.instanceId);
        this.fail(failureOf(frame.payload), hasClient);
        return;
    }
  }

  /** Of what it could not read dispatch knows no hold, so one that it says no more of is let go of here too. Whoever sees a failure pays nothing. */
  private fail(payload: ErrorPayload, hasClient: boolean): void {
    if (payload.code === 'internal_error' && this.role !== 'follower')
      this.ports.letGo(this.hold, 'internal_error', hasClient ? payload.code : undefined);
    if (hasClient) this.sink.fail(payload);
  }

  /** @param deliveredTo whose outcome it is, when it is dispatch's */
  private close(deliveredTo?: string): void {
    this.state = 'over';
    if (deliveredTo !== undefined && this.role === 'sole')
      this.ports.delivered(deliveredTo, this.hold.holdId);
    this.ports.over();
  }
}

function failureOf(payload: Buffer): ErrorPayload {
  try {
    return parseErrorPayload(JSON.parse(payload.toString('utf8'))) ?? internalError().payload;
  } catch {
    return internalError().payload;
  }
}
