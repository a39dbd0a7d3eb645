import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { noCapacity } from '@svc/errors';
import { MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';

/** Whether the process is connected to NATS, and who must know when it is no longer. */
@Injectable()
export class NatsLink implements OnModuleInit {
  private readonly lostListeners: (() => void)[] = [];
  private readonly backListeners: (() => void)[] = [];
  private up = true;

  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  get connected(): boolean {
    return this.up && !this.messaging.connection.isClosed();
  }

  /** @throws SvcError no_capacity when nothing could be asked now */
  assertConnected(): void {
    if (!this.connected) throw noCapacity('The service is not reachable inside now.', 2);
  }

  /** @param listener called each time the connection is lost: what was on the way to us may be lost too */
  onLost(listener: () => void): void {
    this.lostListeners.push(listener);
  }

  /** @param listener called each time the connection stands again */
  onBack(listener: () => void): void {
    this.backListeners.push(listener);
  }

  onModuleInit(): void {
    followConnection(this.messaging.connection, {
      onLost: () => this.note(false, this.lostListeners),
      onBack: () => this.note(true, this.backListeners),
    });
  }

  private note(up: boolean, listeners: (() => void)[]): void {
    if (this.up === up) return;
    this.up = up;
    for (const listener of listeners) listener();
  }
}
