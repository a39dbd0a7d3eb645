import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { DISPATCH_SUBJECTS } from '@svc/contracts';
import { InstanceWatch, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import type { Neighbours } from './offer-share';

/** How long an instance may be silent: after that it is dead, and its places are free. */
const SILENCE_MS = 3_500;
/** How long an instance may not hear itself: after that others may take it for dead, so it takes no place any more. */
const OUT_OF_TOUCH_MS = 2_500;
/** Of those that were lost. */
const MOST_REMEMBERED = 1_000;

/** Which instances of dispatch live, this one included, by the sign of life that each gives once a second. */
@Injectable()
export class PlacePeers implements Neighbours, OnApplicationBootstrap, OnApplicationShutdown {
  readonly instanceId: string;
  private readonly watch: InstanceWatch;
  private readonly living = new Set<string>();
  private readonly lost = new Set<string>();
  private readonly listeners: ((instanceId: string) => void)[] = [];
  private ownBeatMs = performance.now();
  private inTouchSinceMs = performance.now();

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.instanceId = messaging.instanceId;
    this.watch = new InstanceWatch(messaging, {
      watchedSubject: DISPATCH_SUBJECTS.alive,
      silenceMs: SILENCE_MS,
    });
  }

  /** How many live, this one included. */
  get count(): number {
    return this.living.size + 1;
  }

  /** Whether the others hear this instance, as far as it can know: only then they leave it what it holds. */
  get inTouch(): boolean {
    return performance.now() - this.ownBeatMs < OUT_OF_TOUCH_MS;
  }

  isLost(instanceId: string): boolean {
    return this.lost.has(instanceId);
  }

  /** @param listener called for each instance that fell silent */
  onLost(listener: (instanceId: string) => void): void {
    this.listeners.push(listener);
  }

  /** It holds places: should nothing be heard of it from now on, it is dead. */
  expect(instanceId: string): void {
    const isKnown = instanceId === this.instanceId || this.living.has(instanceId);
    if (!isKnown && !this.lost.has(instanceId)) this.watch.heard(instanceId);
  }

  onApplicationBootstrap(): void {
    this.ownBeatMs = this.inTouchSinceMs = performance.now();
    this.watch.onHeard((instanceId) => this.heard(instanceId));
    this.watch.onLost((instanceId) => this.fellSilent(instanceId));
    this.watch.start();
  }

  onApplicationShutdown(): void {
    this.watch.stop();
  }

  private heard(instanceId: string): void {
    if (instanceId === this.instanceId) {
      const nowMs = performance.now();
      if (!this.inTouch) this.inTouchSinceMs = nowMs;
      this.ownBeatMs = nowMs;
      return;
    }
    this.living.add(instanceId);
    this.lost.delete(instanceId);
  }

  private fellSilent(instanceId: string): void {
    if (instanceId === this.instanceId) return;
    // Who does not hear itself hears nobody: the silence says nothing of the others.
    if (!this.inTouch || performance.now() - this.inTouchSinceMs < SILENCE_MS) {
      return this.watch.heard(instanceId);
    }
    this.living.delete(instanceId);
    if (this.lost.size >= MOST_REMEMBERED) this.lost.clear();
    this.lost.add(instanceId);
    for (const listener of this.listeners) listener(instanceId);
  }
}
