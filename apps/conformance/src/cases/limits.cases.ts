import { NotApplicable } from '../deviation';
import { mustRefuse } from '../shape/refusal';
import { must, object, oneOf } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';

/** Larger prompts are not sent: a body has a limit of its own. */
const MOST_PROMPT_BYTES = 3_000_000;
const WORD = 'word ';

export const limits: readonly ConformanceCase[] = [
  ...['max_tokens', 'max_completion_tokens'].map((field): ConformanceCase => ({
    section: '8',
    promise: `${field} beyond maxOutputTokens is refused`,
    run: async (conversation) => {
      const { maxOutputTokens } = conversation.models.chat;
      const exchange = await conversation.ask({ [field]: maxOutputTokens + 1 });
      mustRefuse(exchange, { code: 'invalid_request', param: field });
    },
  })),
  {
    section: '8',
    promise: 'a prompt beyond contextLimit is refused',
    run: async (conversation) => {
      const { id, contextLimit } = conversation.models.chat;
      const words = contextLimit + 100;
      if (words * WORD.length > MOST_PROMPT_BYTES) {
        throw new NotApplicable(`a prompt beyond ${contextLimit} tokens is larger than the suite sends`);
      }
      const messages = [{ role: 'user', content: WORD.repeat(words) }];
      mustRefuse(await conversation.ask({ model: id, messages }), {
        code: 'invalid_request',
        param: 'messages',
      });
    },
  },
  {
    section: '8',
    promise: 'a prompt that leaves no room for max_tokens is refused',
    run: async (conversation) => {
      const { contextLimit, maxOutputTokens } = conversation.models.chat;
      const limit = Math.min(maxOutputTokens, contextLimit);
      const words = contextLimit - limit + 100;
      if (words * WORD.length > MOST_PROMPT_BYTES) {
        throw new NotApplicable(`a prompt of ${words} words is larger than the suite sends`);
      }
      const messages = [{ role: 'user', content: WORD.repeat(words) }];
      const exchange = await conversation.ask({ messages, max_tokens: limit });
      mustRefuse(exchange, { code: 'invalid_request' });
      // By an estimate of the prompt that leaves nothing at all, it is the prompt that is too long.
      must(exchange.json(), object({ error: object({ param: oneOf('max_tokens', 'messages') }) }));
    },
  },
];
