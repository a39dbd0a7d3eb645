import type { Exchange } from '../exchange/exchange';
import { mustRefuse } from '../shape/refusal';
import { ensure } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';

const REPLAY = 'x-svc-idempotent-replay';
const HEADER = 'Idempotency-Key';
const under = (value: string) => ({ headers: { [HEADER]: value } });
const short = { max_tokens: 20 };

async function spentBy(conversation: Conversation): Promise<string> {
  const card = (await conversation.send({ path: '/key' })).json() as { spent_usdc?: string };
  return String(card.spent_usdc);
}

function mustBeReplay(again: Exchange, first: Exchange): void {
  ensure(again.status === first.status, `expected ${first.status}, got ${again.status}`);
  ensure(again.bytes.equals(first.bytes), 'the bodies differ');
  for (const name of ['x-svc-request-id', 'content-type', 'x-svc-hold-usdc']) {
    ensure(
      again.header(name) === first.header(name),
      `${name}: ${again.header(name)} instead of ${first.header(name)}`,
    );
  }
  ensure(again.header(REPLAY) === 'true', `${REPLAY}: expected true, got ${again.header(REPLAY)}`);
}

const replays: ConformanceCase[] = [false, true].map((stream) => ({
  section: '2.1',
  promise: `${HEADER}: ${stream ? 'a stream' : 'a reply'} is told again byte for byte and charged once`,
  charges: { requests: 1 },
  alone: true,
  run: async (conversation) => {
    const ways = under(conversation.unique());
    const first = await conversation.serve({ ...short, stream }, ways);
    ensure(first.header(REPLAY) === undefined, `${REPLAY} on the first reply`);
    const spent = await spentBy(conversation);
    // The same request in other words: order and unknown fields make none another.
    mustBeReplay(await conversation.ask({ stream, ...short, x_unknown: 1 }, ways), first);
    ensure((await spentBy(conversation)) === spent, 'it was charged again');
  },
}));

const others: ConformanceCase[] = [
  {
    section: '2.1',
    promise: `${HEADER}: five at once are one request`,
    charges: { requests: 1 },
    run: async (conversation) => {
      const ways = under(conversation.unique());
      const replies = await Promise.all(
        Array.from({ length: 5 }, () => conversation.serve({ ...short, stream: true }, ways)),
      );
      const ids = new Set(replies.map((reply) => reply.header('x-svc-request-id')));
      ensure(ids.size === 1, `${ids.size} requests were run`);
      ensure(new Set(replies.map(({ text }) => text)).size === 1, 'the replies differ');
    },
  },
  {
    section: '2.1',
    promise: `${HEADER}: another body under the key is refused with 422`,
    charges: { requests: 1 },
    run: async (conversation) => {
      const ways = under(conversation.unique());
      await conversation.serve(short, ways);
      const other = await conversation.ask({ ...short, temperature: 0.5 }, ways);
      mustRefuse(other, { code: 'invalid_request', status: 422, param: HEADER });
    },
  },
  {
    section: '2.1',
    promise: `${HEADER}: what was refused is not remembered`,
    charges: { requests: 1 },
    run: async (conversation) => {
      const ways = under(conversation.unique());
      mustRefuse(await conversation.ask({ ...short, n: 2 }, ways), {
        code: 'feature_not_supported',
        param: 'n',
      });
      const served = await conversation.serve(short, ways);
      ensure(served.header(REPLAY) === undefined, `${REPLAY} on the first reply`);
    },
  },
  {
    section: '2.1',
    promise: `${HEADER}: empty or longer than 255 characters is refused`,
    run: async (conversation) => {
      for (const value of ['', 'x'.repeat(256)]) {
        mustRefuse(await conversation.ask(short, under(value)), { code: 'invalid_request', param: HEADER });
      }
    },
  },
  {
    section: '2.1',
    promise: `${HEADER}: 255 characters are taken; without one, equal requests are two`,
    charges: { requests: 3 },
    run: async (conversation) => {
      await conversation.serve(short, under(conversation.unique().padEnd(255, '~')));
      const replies = [await conversation.serve(short), await conversation.serve(short)];
      const ids = new Set(replies.map((reply) => reply.header('x-svc-request-id')));
      ensure(ids.size === 2, 'one reply was told twice');
    },
  },
];

export const idempotency: readonly ConformanceCase[] = [...replays, ...others];
