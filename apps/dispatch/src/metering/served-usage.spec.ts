import { runRequest } from '../testing/run-request.for-spec';
import type { Metered } from './meter';
import { servedUsage, usageBody } from './served-usage';

const metered: Metered = {
  promptTokens: 11,
  completionTokens: 7,
  tokenSource: 'capped',
  cost: 4n,
  unpaid: 0n,
};

describe('what is said of what was served', () => {
  const [planned] = runRequest(['a']).attempts;
  if (!planned) throw new Error('no attempt');
  const trail = { asked: 2, route: [] };

  it('tells the ledger the tokens as metered at the prices of the offer that served, and no amount', () => {
    const priced = { ...planned, inputPricePerMtok: '100000', outputPricePerMtok: '400000' };
    const times = { firstTokenMs: 80.4, totalMs: 120.4 };
    expect(servedUsage({ planned: priced, trail, times }, 'stop', metered)).toEqual({
      model: planned.model,
      offerId: 'a',
      provider: planned.provider,
      inputPricePerMtok: '100000',
      outputPricePerMtok: '400000',
      promptTokens: 11,
      completionTokens: 7,
      tokenSource: 'capped',
      attempts: 2,
      finishReason: 'stop',
      route: [],
      firstTokenMs: 80,
      totalMs: 120,
    });
  });

  it('has no time of a first token where none came', () => {
    const times = { firstTokenMs: undefined, totalMs: 120 };
    expect(servedUsage({ planned, trail, times }, 'stop', metered)).not.toHaveProperty('firstTokenMs');
  });

  it('tells the client the tokens it pays for, and their sum', () => {
    expect(usageBody(metered)).toEqual({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
  });
});
