import type { ReadinessCheck } from '@svc/observability';
import { valueWithin } from '@svc/time-limit';
import type { Messaging } from './connect';

const PATIENCE_MS = 1_000;

/** Ready while the server answers a ping within a second: connected is not enough. */
export function natsReadiness(messaging: Messaging): ReadinessCheck {
  return {
    name: 'nats',
    check: async () => {
      const pong = messaging.connection.rtt().then(
        () => true,
        () => false,
      );
      return { up: await valueWithin(PATIENCE_MS, pong, false) };
    },
  };
}
