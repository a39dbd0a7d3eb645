// How the bench reaches the NATS of its marketplace.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * What connectMessaging takes for one of its users: as `npm start` has its services connect, also to servers that NATS_URL names.
 * @param market what startMarket resolved with
 */
export function natsOf({ ready, directory }, user) {
  // Here, not above: only once the marketplace has started has it surely been built.
  const { natsServersFor } = require('../apps/local-stack/dist/nats-servers.js');
  const { nats: passwords } = JSON.parse(readFileSync(join(directory, 'secrets.json'), 'utf8'));
  const servers = { given: process.env.NATS_URL || undefined, local: ready.natsUrl, passwords };
  return natsServersFor(user, servers, process.env);
}
