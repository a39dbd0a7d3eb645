import { compileValidator } from '@svc/validation';
import { AdmitHoldRequest, ReleaseHoldRequest, SettleHoldRequest } from './hold.contracts';
import type { RouteStep, ServedUsage } from './served-usage';

const settle = compileValidator(SettleHoldRequest);
const release = compileValidator(ReleaseHoldRequest);
const admit = compileValidator(AdmitHoldRequest);

const hold = { holdId: 'req_1', wallet: `0x${'a'.repeat(40)}` };
const step: RouteStep = { offerId: 'offer_1', why: 'cheapest: 12 base units at most', outcome: 'served' };
const usage: ServedUsage = {
  model: 'svc/small@1',
  offerId: 'offer_1',
  provider: `0x${'b'.repeat(40)}`,
  inputPricePerMtok: '1',
  outputPricePerMtok: '2',
  promptTokens: 3,
  completionTokens: 4,
  tokenSource: 'provider',
  attempts: 1,
  finishReason: 'tool_calls',
  route: [step],
};

const post = (changed: Partial<ServedUsage>) =>
  settle({ ...hold, outcome: 'post', usage: { ...usage, ...changed } }).ok;
const routed = (changed: Partial<RouteStep>) => post({ route: [{ ...step, ...changed }] });
const abandoned = (reason: string) => settle({ ...hold, outcome: 'abandon', reason }).ok;

/** Each makes PostgreSQL refuse the statement: a NUL as text and as JSON, half a surrogate as JSON. */
const refusedByTheDatabase = ['a\u0000b', '\u0000', 'a\ud800', '\udc00'];

describe('what settles a hold', () => {
  it('is taken as dispatch and gateway say it', () => {
    expect(post({})).toBe(true);
    expect(routed({ why: '', outcome: 'credential_unreadable' })).toBe(true);
    expect(abandoned('provider_output_invalid')).toBe(true);
    expect(settle({ ...hold, outcome: 'void' }).ok).toBe(true);
    const failure = { code: 'no_capacity', attempts: 0, route: [step], totalMs: 7 };
    expect(settle({ ...hold, outcome: 'void', reason: 'no_capacity', failure }).ok).toBe(true);
  });

  it.each(refusedByTheDatabase)('says nothing that the database would refuse: %j', (text) => {
    const taken = {
      reason: abandoned(text),
      released: release({ ...hold, outcome: 'void', reason: text }).ok,
      finishReason: post({ finishReason: text }),
      why: routed({ why: text }),
      outcome: routed({ outcome: text }),
      failure: settle({ ...hold, outcome: 'void', failure: { route: [{ ...step, why: text }] } }).ok,
      model: post({ model: usage.model + text }),
      offerId: post({ offerId: usage.offerId + text }),
      provider: post({ provider: usage.provider + text }),
      holdId: settle({ ...hold, holdId: text, outcome: 'void' }).ok,
      admittedModel: admit({
        requestId: 'req_1',
        keyHash: 'c'.repeat(64),
        model: usage.model + text,
        amount: '1',
      }).ok,
    };
    expect(Object.entries(taken).filter(([, ok]) => ok)).toEqual([]);
  });

  // 20 steps of them would be more than the database keeps of a route.
  it('counts every character of a step', () => {
    expect(routed({ why: '\u{1F600}'.repeat(120), outcome: 'x'.repeat(32) })).toBe(true);
    expect(routed({ why: '\u{1F600}\uFE0F'.repeat(61) })).toBe(false);
    expect(routed({ outcome: '\u{1F600}\uFE0F'.repeat(17) })).toBe(false);
  });

  it('gives a reason of at least a character and at most 64, or none', () => {
    expect(abandoned('')).toBe(false);
    expect(abandoned('x'.repeat(64))).toBe(true);
    expect(abandoned('x'.repeat(65))).toBe(false);
  });
});
