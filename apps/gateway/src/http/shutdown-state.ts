import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';

/**
 * How far the service is on its way out. While it leaves, everybody is served and nobody is kept: who comes again comes to another one.
 * Once it stops, requests under way finish, new ones are refused.
 */
@Injectable()
export class ShutdownState implements OnModuleDestroy {
  private leaving = false;
  private stopping = false;

  get isLeaving(): boolean {
    return this.leaving || this.stopping;
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  leave(): void {
    this.leaving = true;
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }
}
