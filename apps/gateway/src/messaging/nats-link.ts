import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { noCapacity } from '@svc/errors';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { Events } from 'nats';

/** Whether the process is connected to NATS, and who must know when it is no longer. */
@Injectable()
export class NatsLink implements OnModuleInit {
  private readonly listeners: (() => void)[] = [];
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
    this.listeners.push(listener);
  }

  onModuleInit(): void {
    void this.follow();
  }

  private async follow(): Promise<void> {
    for await (const status of this.messaging.connection.status()) {
      if (status.type === Events.Reconnect) this.up = true;
      if (status.type !== Events.Disconnect || !this.up) continue;
      this.up = false;
      for (const listener of this.listeners) listener();
    }
  }
}
