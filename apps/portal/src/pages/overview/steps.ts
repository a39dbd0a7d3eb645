import type { components } from '../../api/generated/schema';
import type { Position } from '../../live/use-position';

export type StepId = 'fund' | 'approve' | 'key' | 'request';

/** The first thing that is still to be done before the first charge; undefined after it. */
export function currentStep(position: Position, hasKey: boolean): StepId | undefined {
  if (!isZero(position.charged_usdc)) return undefined;
  if (position.balance_usdc === null || isZero(position.balance_usdc)) return 'fund';
  if (position.approved_usdc === null || isZero(position.approved_usdc)) return 'approve';
  return hasKey ? 'request' : 'key';
}

/** Whether programs have a key to send. The playground's own, which its first message makes, has no value that anybody could. */
export function hasApiKey(
  keys: readonly Pick<components['schemas']['WalletKey'], 'state' | 'purpose'>[],
): boolean {
  return keys.some(({ state, purpose }) => state === 'active' && purpose === 'api');
}

function isZero(usdc: string): boolean {
  return /^0(\.0+)?$/.test(usdc);
}
