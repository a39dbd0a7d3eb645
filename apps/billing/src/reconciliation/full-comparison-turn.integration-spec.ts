import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { within } from '@svc/time-limit';
import { Client } from 'pg';
import type { BillingConfig } from '../billing.config';
import { FullComparisonTurn } from './full-comparison-turn';

let database: TestDatabase;
let link: TcpLink;
let turn: FullComparisonTurn;

beforeEach(async () => {
  database = await createTestDatabase();
  link = await TcpLink.open(database.billingUrl);
  turn = new FullComparisonTurn({ databaseUrl: link.url } as BillingConfig);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await link.close();
  await database.drop();
});

/** From the statement on that takes the turn. */
function holdBackAtTheTurn(): void {
  const ask = Client.prototype.query as (...args: unknown[]) => unknown;
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    if (String(args[0]).includes('pg_try_advisory_lock')) link.holdBack();
    return ask.apply(this, args);
  });
}

describe('the turn of a full comparison', () => {
  it('ends with its work, over a network that swallows everything', async () => {
    const taken = turn.take(() => {
      link.swallow();
      return Promise.resolve();
    });
    expect(await within(20_000, taken)).toBe(true);
  });

  it('is not taken when the database does not answer', async () => {
    holdBackAtTheTurn();
    const work = jest.fn();
    const failure = turn.take(work).then(
      () => 'none',
      (error: Error) => error.message,
    );
    expect(await within(20_000, failure)).toBe(true);
    expect(await failure).toBe('Query read timeout');
    expect(work).not.toHaveBeenCalled();
  });

  it('is free again once it was given back', async () => {
    const work = jest.fn().mockResolvedValue(undefined);
    await turn.take(work);
    await eventually(async () => {
      await turn.take(work);
      return work.mock.calls.length > 1;
    });
  });
});
