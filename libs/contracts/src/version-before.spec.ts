import { compileValidator } from '@svc/validation';
import {
  AdmitHoldRequest,
  ReleaseHoldRequest,
  RenewHoldsRequest,
  SettleHoldRequest,
} from './billing/hold.contracts';
import { CheckKeyRequest } from './billing/key.contracts';
import { CreatePlanRequest } from './cortex.contracts';
import { StartRunRequest } from './dispatch.contracts';
import { HealthReport } from './health-report';

const model = 'svc/small@1';
const wallet = `0x${'a'.repeat(40)}`;
const hold = { holdId: 'req_1', wallet };
const prices = { inputPricePerMtok: '1', outputPricePerMtok: '2' };
const offer = { offerId: 'offer_1', model, provider: wallet, ...prices };
const digest = '0'.repeat(64);

/**
 * What requests need, at their least, as replicas of the version before say it: a field that is added here is one that they do not send
 * (docs/ARCHITECTURE.md, versions beside each other).
 */
const requests: [new () => object, object][] = [
  [CheckKeyRequest, { keyHash: digest }],
  [CreatePlanRequest, { requestId: 'req_1', model, inputEstimate: 1, maxTokens: 1 }],
  [AdmitHoldRequest, { requestId: 'req_1', keyHash: digest, model, amount: '1' }],
  [
    StartRunRequest,
    {
      ...{
        requestId: 'req_1',
        completionId: 'chatcmpl-1',
        created: 1,
        model,
        stream: true,
        includeUsage: false,
      },
      ...{ inputEstimate: 1, maxTokens: 1, hold: { ...hold, amount: '1' }, body: {} },
      attempts: [{ ...offer, bundleId: 'bundle', profileId: 'profile', why: '' }],
    },
  ],
  [
    SettleHoldRequest,
    {
      ...{ ...hold, outcome: 'post' },
      usage: {
        ...offer,
        ...{ promptTokens: 1, completionTokens: 1, tokenSource: 'capped', attempts: 1, finishReason: 'stop' },
      },
    },
  ],
  [ReleaseHoldRequest, { ...hold, outcome: 'abandon' }],
  [RenewHoldsRequest, { holds: [hold] }],
  [
    HealthReport,
    { instanceId: 'a', offers: [{ offerId: 'offer_1', succeeded: 0, failed: 0, invalid: 0, inFlight: 0 }] },
  ],
];

describe('what replicas of the version before send', () => {
  it.each(requests)('is taken: %p', (Class, request) => {
    expect(compileValidator(Class)(request)).toEqual({ ok: true, value: request });
  });

  it.each(requests)(
    'is taken of one version later, without what only that one knows: %p',
    (Class, request) => {
      expect(compileValidator(Class)({ ...request, newField: 1 })).toEqual({ ok: true, value: request });
    },
  );
});
