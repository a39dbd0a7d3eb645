import type { Messaging } from './connect';
import { listen } from './listen';
import { Standstill } from './standstill';

const BEAT_MS = 1_000;
const SWEEP_MS = 500;
/** A sweep that comes later than this finds beats that have not been read yet. */
const STOOD_STILL_MS = 1_500;

/**
 * Notices when instances of another service stop. Each side publishes its instance id once a second on its own subject;
 * an instance that was heard and then is silent for `silenceMs` is reported lost, once.
 */
export class InstanceWatch {
  private readonly lastHeardMs = new Map<string, number>();
  private readonly listeners: ((instanceId: string) => void)[] = [];
  private readonly heardListeners: ((instanceId: string) => void)[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly standstill = new Standstill(STOOD_STILL_MS);

  constructor(
    private readonly messaging: Messaging,
    /** Without a subject of its own it only listens: somebody else in this process gives the sign of life. */
    private readonly options: { ownSubject?: string; watchedSubject: string; silenceMs?: number },
  ) {}

  /** @param listener called once for each instance that fell silent */
  onLost(listener: (instanceId: string) => void): void {
    this.listeners.push(listener);
  }

  /** @param listener called at every sign of life */
  onHeard(listener: (instanceId: string) => void): void {
    this.heardListeners.push(listener);
  }

  start(): void {
    const { connection, instanceId } = this.messaging;
    const { ownSubject } = this.options;
    listen(connection, this.options.watchedSubject, (message) => this.heard(message.string()));
    const beat = () => {
      if (ownSubject !== undefined && !connection.isClosed()) connection.publish(ownSubject, instanceId);
    };
    beat();
    this.standstill.look(performance.now());
    this.timers.push(
      setInterval(beat, BEAT_MS),
      setInterval(() => this.sweep(performance.now()), SWEEP_MS),
    );
    for (const timer of this.timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  /** Also to be called for other signs of life, so that an instance counts from its first message on. */
  heard(instanceId: string): void {
    this.lastHeardMs.set(instanceId, performance.now());
    for (const listener of this.heardListeners) listener(instanceId);
  }

  /** @param nowMs of the monotonic clock */
  sweep(nowMs: number): void {
    if (this.standstill.look(nowMs)) {
      // This process slept, not its peers: what they said meanwhile is still to be read.
      for (const instanceId of this.lastHeardMs.keys()) this.lastHeardMs.set(instanceId, nowMs);
      return;
    }
    const silentSinceMs = nowMs - (this.options.silenceMs ?? 3_500);
    for (const [instanceId, heardMs] of this.lastHeardMs) {
      if (heardMs > silentSinceMs) continue;
      this.lastHeardMs.delete(instanceId);
      for (const listener of this.listeners) listener(instanceId);
    }
  }
}
