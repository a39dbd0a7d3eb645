import { catalogContracts } from '@svc/contracts';
import { serviceRoles } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { modelOf, wholeRequest } from '../catalogue/catalogue.for-spec';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';
import { scopeOf } from './certified-offer.for-spec';

let market: SupplyMarket;
let admin: Client;

/** Whoever is connected to the database is cut off, and nobody gets in meanwhile. */
async function withoutConnections(name: string, work: () => Promise<unknown>): Promise<void> {
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ]);
  await work();
}

/** @returns the name of a copy of the database as it stands */
async function backUp(name: string): Promise<string> {
  const copy = `${name}_backup`;
  await withoutConnections(name, () => admin.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`));
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  return copy;
}

async function restore(name: string, copy: string): Promise<void> {
  await withoutConnections(name, () => admin.query(`DROP DATABASE ${name}`));
  await admin.query(`ALTER DATABASE ${copy} RENAME TO ${name}`);
  await admin.query(`GRANT CONNECT ON DATABASE ${name} TO ${serviceRoles.catalog}`);
}

beforeAll(async () => {
  // Only acts publish: what they find is what the last one left.
  market = await SupplyMarket.open({ republishMs: 3_600_000 });
  const url = new URL(market.database.adminUrl);
  url.pathname = '/postgres';
  admin = new Client({ connectionString: url.href });
  await admin.connect();
  await market.apply(wholeRequest({ models: [modelOf()] }));
});

afterAll(async () => {
  await market?.close();
  await admin?.end();
});

it('publishes what was signed last, also when the database went back and its version was given before', async () => {
  const provider = new SigningProvider();
  await market.call(catalogContracts.registerProvider, await provider.registration());
  const submit = async (inputPricePerMtok: string) =>
    market.call(catalogContracts.submitOffer, await provider.offer({ inputPricePerMtok }));
  const { offerId } = await submit('300');
  await market.certify(offerId);
  const copy = await backUp(market.database.name);
  // Connections that were cut off fail once each.
  expect(await eventually(() => submit('200'))).toMatchObject({ liveVersion: 2 });
  await eventually(() => market.offer(offerId)?.inputPricePerMtok === '200');

  await restore(market.database.name, copy);
  expect(await eventually(() => submit('100'))).toMatchObject({ liveVersion: 2 });
  await eventually(() => market.offer(offerId)?.inputPricePerMtok === '100');
  expect(market.offer(offerId)).toMatchObject({ version: 2, inputPricePerMtok: '100' });
});

it('publishes what was certified last, also when the database went back and the same run has ended before', async () => {
  const provider = new SigningProvider();
  await eventually(async () => market.call(catalogContracts.registerProvider, await provider.registration()));
  const { offerId } = await market.call(catalogContracts.submitOffer, await provider.offer());
  const copy = await backUp(market.database.name);
  const first = await eventually(() => market.certify(offerId, scopeOf({ concurrency: 4 })));
  await eventually(() => market.offer(offerId)?.concurrency === 4);

  await restore(market.database.name, copy);
  expect(await eventually(() => market.certify(offerId, scopeOf({ concurrency: 3 })))).toBe(first);
  await eventually(() => market.offer(offerId)?.concurrency === 3);
});
