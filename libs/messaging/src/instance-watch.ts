import type { Messaging } from './connect';

const BEAT_MS = 1_000;

/**
 * Notices when instances of another service stop. Each side publishes its instance id once a second on its own subject;
 * an instance that was heard and then is silent for `silenceMs` is reported lost, once.
 */
export class InstanceWatch {
  private readonly lastHeardMs = new Map<string, number>();
  private readonly listeners: ((instanceId: string) => void)[] = [];
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly options: { ownSubject: string; watchedSubject: string; silenceMs?: number },
  ) {}

  /** @param listener called once for each instance that fell silent */
  onLost(listener: (instanceId: string) => void): void {
    this.listeners.push(listener);
  }

  start(): void {
    const { connection, instanceId } = this.messaging;
    connection.subscribe(this.options.watchedSubject, {
      callback: (error, message) => {
        if (!error) this.heard(message.string());
      },
    });
    const beat = () => {
      if (!connection.isClosed()) connection.publish(this.options.ownSubject, instanceId);
    };
    beat();
    this.timers.push(
      setInterval(beat, BEAT_MS),
      setInterval(() => this.sweep(), BEAT_MS / 2),
    );
    for (const timer of this.timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  /** Also to be called for other signs of life, so that an instance counts from its first message on. */
  heard(instanceId: string): void {
    this.lastHeardMs.set(instanceId, performance.now());
  }

  private sweep(): void {
    const silentSinceMs = performance.now() - (this.options.silenceMs ?? 3_500);
    for (const [instanceId, heardMs] of this.lastHeardMs) {
      if (heardMs > silentSinceMs) continue;
      this.lastHeardMs.delete(instanceId);
      for (const listener of this.listeners) listener(instanceId);
    }
  }
}
