import { billingContracts } from '@svc/contracts';
import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { FaultStack } from './fault-stack.for-spec';

/** Calls in a row of which, with two instances, the one that fails would have got some: all but one time in 2^40. */
const MANY = 40;

const WALLET = `0x${'5'.repeat(40)}`;

let database: TestDatabase;
let link: TcpLink;
let stack: FaultStack;

beforeAll(async () => {
  database = await createTestDatabase();
  link = await TcpLink.open(database.billingUrl);
  stack = await FaultStack.start(database);
});
afterAll(async () => {
  await link.close();
  await stack.close();
});

/** Whether billing answers so many calls in a row. */
async function answersAll(): Promise<boolean> {
  for (let call = 0; call < MANY; call++)
    await stack.setup.call(billingContracts.showWallet, { wallet: WALLET });
  return true;
}

it('one of two instances that has lost the database leaves the calls to the other, and takes them again afterwards', async () => {
  await stack.startSafely('with');
  await stack.startSafely('without', { databaseUrl: link.url });
  await stack.setup.call(billingContracts.registerWallet, { wallet: WALLET });
  await answersAll();

  link.cut();
  await expect(answersAll()).rejects.toMatchObject({ payload: { code: 'no_capacity' } });
  await eventually(answersAll, { timeoutMs: 60_000 });

  link.restore();
  await stack.processes.get('with')?.stop();
  // Nobody else is there.
  await eventually(answersAll, { timeoutMs: 60_000 });
});
