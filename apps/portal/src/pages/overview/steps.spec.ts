import type { Position } from '../../live/use-position';
import { currentStep, hasApiKey } from './steps';

const position = (values: Partial<Position>) => ({ charged_usdc: '0.000000', ...values }) as Position;

describe('currentStep', () => {
  it.each([
    ['fund', { balance_usdc: null, approved_usdc: null }, false],
    ['fund', { balance_usdc: '0.000000', approved_usdc: '50.000000' }, true],
    ['approve', { balance_usdc: '0.000001', approved_usdc: '0.000000' }, true],
    ['key', { balance_usdc: '100.000000', approved_usdc: '50.000000' }, false],
    ['request', { balance_usdc: '100.000000', approved_usdc: '50.000000' }, true],
  ] as const)('is %s', (step, values, hasKey) => {
    expect(currentStep(position(values), hasKey)).toBe(step);
  });

  it('is none after the first charge, whatever was taken back since', () => {
    expect(
      currentStep(position({ charged_usdc: '0.000012', balance_usdc: '0.000000' }), false),
    ).toBeUndefined();
  });
});

describe('hasApiKey', () => {
  it.each([
    ['active', 'api', true],
    ['disabled', 'api', false],
    ['active', 'playground', false],
  ] as const)('of a key that is %s, for %s, is %p', (state, purpose, has) => {
    expect(hasApiKey([{ state, purpose }])).toBe(has);
  });
});
