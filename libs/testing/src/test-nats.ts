import type { NatsUser } from '@svc/local-servers';
import { testEnvironment } from './test-environment';

/** Options for `connect` of the package `nats`. */
interface TestNats {
  servers: string;
  user: string;
  pass: string;
  /** The only inboxes that user may listen to. */
  inboxPrefix: string;
}

/** How to reach the test NATS as one of the services, with that service's rights. */
export function testNats(user: NatsUser): TestNats {
  return {
    servers: testEnvironment('natsUrl'),
    user,
    pass: testEnvironment('password'),
    inboxPrefix: `_INBOX.${user}`,
  };
}
