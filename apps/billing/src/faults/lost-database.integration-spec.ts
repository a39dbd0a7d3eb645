import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import { DurablePublisher } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { newHoldId } from '../ledger/ledger.for-spec';
import { FaultStack } from './fault-stack.for-spec';

/** Calls in a row of which, with two instances, the one that fails would have got some: all but one time in 2^40. */
const MANY = 40;

/** Less than it takes until the queue gives to another what one has taken and not acknowledged. */
const SOON_MS = 20_000;

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

/** Releases so many holds by the queue, and waits until that is done: nobody has taken one in vain. */
async function releaseMany(name: string): Promise<void> {
  const queue = new DurablePublisher(stack.gateway.messaging, createLogger('test', 'silent'));
  for (let count = 0; count < MANY; count++) {
    const release = { holdId: newHoldId(), wallet: WALLET, outcome: 'abandon', reason: name };
    await queue.publish(SETTLEMENT_QUEUE.releaseSubject, release.holdId, release);
  }
  await eventually(async () => (await stack.queued()) === 0, { timeoutMs: SOON_MS });
}

it('one of two instances that has lost the database leaves calls and settlements to the other, and takes them again afterwards', async () => {
  await stack.startSafely('with', { hurry: false });
  await stack.startSafely('without', { hurry: false, databaseUrl: link.url });
  await stack.setup.call(billingContracts.registerWallet, { wallet: WALLET });
  await answersAll();

  link.cut();
  await expect(answersAll()).rejects.toMatchObject({ payload: { code: 'no_capacity' } });
  await eventually(answersAll, { timeoutMs: 60_000 });
  await releaseMany('without one');

  link.restore();
  await stack.processes.get('with')?.stop();
  // Nobody else is there.
  await eventually(answersAll, { timeoutMs: 60_000 });
  await releaseMany('with one again');
});
