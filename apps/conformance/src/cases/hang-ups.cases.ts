import { setTimeout as delay } from 'node:timers/promises';
import { Deviation } from '../deviation';
import { readStream } from '../exchange/event-stream';
import { ensure } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import { OUTPUT_TOKENS } from '../suite/spending';
import { accountOf, costOf, heldFor, spentBy } from './charge-parts';

/** Where the first words of a stream have come. */
const FIRST_WORDS = /"content":"[^"]/;
/** What was left may have to be noticed first, and ended with its provider. */
const SETTLED_WITHIN_MS = 30_000;
const POLL_MS = 200;
const long = {
  messages: [{ role: 'user', content: 'Count from 1 to 200.' }],
  max_tokens: OUTPUT_TOKENS,
  stream: true,
};

/** @returns what the key was charged since, once nothing more is held for it than before */
async function chargedSince(
  conversation: Conversation,
  before: { spent: bigint; held: bigint },
): Promise<bigint> {
  const untilMs = performance.now() + SETTLED_WITHIN_MS;
  while (performance.now() < untilMs) {
    const { spent, held } = await accountOf(conversation);
    if (held <= before.held) return spent - before.spent;
    await delay(POLL_MS);
  }
  throw new Deviation(`after ${SETTLED_WITHIN_MS / 1_000} s the request is still held for`);
}

export const hangUps: readonly ConformanceCase[] = [
  {
    section: '4.1',
    promise: 'a client that hangs up in the middle of a stream pays for what came, and nothing stays held',
    charges: { requests: 1 },
    alone: true,
    run: async (conversation) => {
      const before = await accountOf(conversation);
      const left = await conversation.serve(long, { hangUpAt: FIRST_WORDS });
      const charged = await chargedSince(conversation, before);
      ensure(charged > 0n, 'text was delivered, and nothing was charged');
      ensure(charged <= heldFor(left), `${charged} base units charged, ${heldFor(left)} held`);
    },
  },
  {
    section: '2.1',
    promise: 'Idempotency-Key: a stream whose client hangs up is told whole to the next, and charged once',
    charges: { requests: 1 },
    alone: true,
    run: async (conversation) => {
      const before = await spentBy(conversation);
      const headers = { 'Idempotency-Key': conversation.unique() };
      const left = await conversation.serve(long, { headers, hangUpAt: FIRST_WORDS });
      const whole = await conversation.serve(long, { headers });
      const [one, other] = [left, whole].map((each) => each.header('x-svc-request-id'));
      ensure(one === other, `another request was run: ${other} instead of ${one}`);
      ensure(readStream(whole).done, 'data: [DONE] is missing');
      const seen = left.text.slice(0, left.text.lastIndexOf('\n\n'));
      ensure(whole.text.startsWith(seen), 'it does not begin with what came before');
      const charged = (await spentBy(conversation)) - before;
      ensure(charged === costOf(whole), `${costOf(whole)} base units said, ${charged} charged`);
    },
  },
];
