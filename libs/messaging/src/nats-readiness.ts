import type { ReadinessCheck } from '@svc/observability';
import type { Messaging } from './connect';

const PATIENCE_MS = 1_000;

/** Ready while the server answers a ping within a second: connected is not enough. */
export function natsReadiness(messaging: Messaging): ReadinessCheck {
  return {
    name: 'nats',
    check: async () => {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), PATIENCE_MS);
      });
      const pong = messaging.connection.rtt().then(
        () => true,
        () => false,
      );
      const up = await Promise.race([pong, silence]);
      clearTimeout(timer);
      return { up };
    },
  };
}
