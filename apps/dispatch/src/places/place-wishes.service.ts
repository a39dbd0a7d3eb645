import { Inject, Injectable } from '@nestjs/common';
import { DISPATCH_SUBJECTS } from '@svc/contracts';
import { MESSAGING, listen } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';

/** How many places an instance needs at an offer where none is free; 0: it needs none any more. */
export interface PlaceWish {
  offerId: string;
  instanceId: string;
  count: number;
}

/** What instances of dispatch ask each other for. A wish that is lost is repeated while it stands. */
@Injectable()
export class PlaceWishes {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  say(offerId: string, count: number): void {
    const { connection, instanceId } = this.messaging;
    if (connection.isClosed() || connection.isDraining()) return;
    const wish: PlaceWish = { offerId, instanceId, count };
    connection.publish(DISPATCH_SUBJECTS.placeWanted, JSON.stringify(wish));
  }

  /** @param listener called for each wish of another instance */
  listen(listener: (wish: PlaceWish) => void): void {
    const { connection, instanceId } = this.messaging;
    listen(connection, DISPATCH_SUBJECTS.placeWanted, (message) => {
      const wish = wishIn(message.string());
      if (wish && wish.instanceId !== instanceId) listener(wish);
    });
  }
}

/** @returns undefined for what is no wish */
function wishIn(text: string): PlaceWish | undefined {
  try {
    const { offerId, instanceId, count } = JSON.parse(text) as Record<string, unknown>;
    if (typeof offerId !== 'string' || typeof instanceId !== 'string' || !Number.isSafeInteger(count)) {
      return undefined;
    }
    return { offerId, instanceId, count: count as number };
  } catch {
    return undefined;
  }
}
