import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';

/**
 * How far the service is on its way out. While it leaves, everybody is served and nobody is kept: who comes again comes to another one.
 * Once it stops, requests under way finish, new ones are refused.
 */
@Injectable()
export class ShutdownState implements OnModuleDestroy {
  private readonly listeners: (() => void)[] = [];
  private leaving = false;
  private stopping = false;

  get isLeaving(): boolean {
    return this.leaving || this.stopping;
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** @param listener called once, when it begins to leave: for replies that would not end by themselves */
  onLeaving(listener: () => void): void {
    this.listeners.push(listener);
  }

  leave(): void {
    this.leaving = true;
    for (const listener of this.listeners.splice(0)) listener();
  }

  onModuleDestroy(): void {
    this.leave();
    this.stopping = true;
  }
}
