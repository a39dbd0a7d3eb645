import { mustRefuse } from '../shape/refusal';
import { ensure } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';

/** An `Authorization` header that opens nothing; null sends none. */
type Authorization = (conversation: Conversation) => string | null;

const UNFIT: readonly [string, Authorization][] = [
  ['missing', () => null],
  ['empty', () => 'Bearer '],
  ['malformed', () => 'Bearer hello'],
  ['of another scheme', () => 'Basic aGk6aGk='],
  ['without a scheme', ({ apiKey }) => apiKey],
  ['unknown', (conversation) => `Bearer ${conversation.unknownKey()}`],
  [
    'of the other environment',
    (conversation) => `Bearer ${conversation.unknownKey(conversation.environment.foreignKeyPrefix)}`,
  ],
  [
    'this run’s under the other environment’s prefix',
    ({ apiKey, environment }) =>
      `Bearer ${environment.foreignKeyPrefix}${apiKey.slice(environment.keyPrefix.length)}`,
  ],
  ['cut short', ({ apiKey }) => `Bearer ${apiKey.slice(0, -1)}`],
  [
    'changed in its last letter',
    ({ apiKey }) => `Bearer ${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`,
  ],
];

const unfit: ConformanceCase[] = UNFIT.map(([what, authorizationOf]) => ({
  section: '5',
  promise: `invalid_api_key: a key that is ${what}`,
  run: async (conversation) => {
    const authorization = authorizationOf(conversation);
    for (const path of ['/chat/completions', '/key']) {
      const body = path === '/key' ? undefined : conversation.bodyOf({});
      mustRefuse(await conversation.send({ path, body, authorization }), { code: 'invalid_api_key' });
    }
  },
}));

const others: ConformanceCase[] = [
  {
    section: '5',
    promise: 'keys are refused in the same words whatever is wrong with them',
    run: async (conversation) => {
      const words = new Set<string>();
      for (const [, authorizationOf] of UNFIT) {
        const exchange = await conversation.ask({}, { authorization: authorizationOf(conversation) });
        words.add(mustRefuse(exchange, { code: 'invalid_api_key' }));
      }
      ensure(words.size === 1, `told apart: ${[...words].join(' / ')}`);
    },
  },
  {
    section: '5',
    promise: 'the scheme may be written in any case',
    run: async (conversation) => {
      const authorization = `bearer ${conversation.apiKey}`;
      const { status } = await conversation.send({ path: '/key', authorization });
      ensure(status === 200, `expected 200, got ${status}`);
    },
  },
  {
    section: '5',
    promise: 'invalid_api_key: a key that was revoked',
    run: async (conversation) => {
      const authorization = `Bearer ${conversation.prop('revokedKey', '--revoked-key')}`;
      mustRefuse(await conversation.ask({}, { authorization }), { code: 'invalid_api_key' });
    },
  },
  {
    section: '5',
    promise: 'account_suspended: a key of a suspended account',
    run: async (conversation) => {
      const authorization = `Bearer ${conversation.prop('suspendedKey', '--suspended-key')}`;
      mustRefuse(await conversation.ask({}, { authorization }), { code: 'account_suspended' });
    },
  },
];

export const keys: readonly ConformanceCase[] = [...unfit, ...others];
