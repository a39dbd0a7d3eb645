import { ENVIRONMENTS } from '@svc/environment';
import { runRequest } from '../testing/run-request.for-spec';
import { fingerprintOf } from '../plan/planned-attempt';
import { PlanTrail } from '../plan/plan-trail';
import { svcOf } from './svc-body';

/** What the client is told when the plan's one offer has served. */
function told(environment: 'testnet' | 'production', { routed = false, mapping = '' } = {}) {
  const request = runRequest(['offer'], { model: routed ? 'svc/cortex@1' : 'svc/test@1', routed });
  const [planned] = request.attempts;
  if (!planned) throw new Error('no attempt');
  if (mapping !== '') Object.assign(planned, { mapping, bundleId: 'managed', profileId: mapping });
  const svc = svcOf(request, { planned, trail: new PlanTrail(request) }, 12n, ENVIRONMENTS[environment]);
  return { svc, fingerprint: fingerprintOf(request, planned) };
}

const cost = { cost_usdc: '0.000012' };
const provider = `0x${'b'.repeat(40)}`;

describe('who served, as the client is told (spec section 2.2)', () => {
  it('test network, a named model', () => {
    expect(told('testnet')).toEqual({ svc: { ...cost, provider }, fingerprint: 'bundle-offer:profile' });
  });

  it('test network, the routing model', () => {
    const served = { model: 'svc/test@1', bundleId: 'bundle-offer', provider, managed: false };
    expect(told('testnet', { routed: true })).toEqual({
      svc: { ...cost, provider, served: { ...served, reason: 'available' } },
      fingerprint: 'cortex:svc/test@1',
    });
  });

  it('test network, a managed vendor through the routing model', () => {
    const served = { model: 'svc/test@1', bundleId: 'managed', provider: 'acme', managed: true };
    expect(told('testnet', { routed: true, mapping: 'acme' })).toEqual({
      svc: { ...cost, provider: 'managed', served: { ...served, reason: 'managed:no_provider' } },
      fingerprint: 'cortex:svc/test@1',
    });
  });

  it('production, a provider of the marketplace', () => {
    expect(told('production')).toEqual({
      svc: { ...cost, provider, fallback: false },
      fingerprint: 'bundle-offer:profile',
    });
  });

  it('production, the managed fallback', () => {
    expect(told('production', { mapping: 'acme' })).toEqual({
      svc: { ...cost, provider: 'fallback', fallback: true, fallback_mapping: 'acme' },
      fingerprint: 'fallback:acme',
    });
  });
});
