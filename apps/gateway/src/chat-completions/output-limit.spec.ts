import fc from 'fast-check';
import type { ModelView } from '@svc/contracts';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { demoModel } from '../testing/models.for-spec';
import { outputLimitOf } from './output-limit';

const request: ChatCompletionRequest = {
  model: demoModel.id,
  messages: [{ role: 'user', content: 'Hello' }],
};

function modelOf(contextLimit: number, maxOutputTokens: number): ModelView {
  return { ...demoModel, contextLimit, capabilities: { ...demoModel.capabilities, maxOutputTokens } };
}

describe('outputLimitOf', () => {
  it('leaves a default request within the context that is shown, though all of it were certified for output', () => {
    expect(outputLimitOf(request, modelOf(8_192, 8_192), 50)).toBe(8_142);
    expect(outputLimitOf(request, modelOf(131_072, 131_072), 50)).toBe(16_384);
  });

  it('lets no request pass that is larger than the card says', () => {
    const tokens = fc.integer({ min: 1, max: 200_000 });
    const asked = fc.option(tokens, { nil: undefined });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        asked,
        (contextLimit, maxOutputTokens, inputEstimate, max_tokens) => {
          const model = modelOf(contextLimit, maxOutputTokens);
          const limit = outputLimitOf({ ...request, max_tokens }, model, inputEstimate);
          if (typeof limit === 'number') {
            expect(limit).toBeGreaterThanOrEqual(1);
            expect(limit).toBeLessThanOrEqual(maxOutputTokens);
            expect(inputEstimate + limit).toBeLessThanOrEqual(contextLimit);
            if (max_tokens !== undefined) expect(limit).toBe(max_tokens);
          } else {
            const fits =
              inputEstimate + (max_tokens ?? 1) <= contextLimit && (max_tokens ?? 1) <= maxOutputTokens;
            expect([limit.code, fits]).toEqual(['invalid_request', false]);
          }
        },
      ),
    );
  });
});
