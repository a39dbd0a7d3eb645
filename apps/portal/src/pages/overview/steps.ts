import type { Position } from '../../live/use-position';

export type StepId = 'fund' | 'approve' | 'key' | 'request';

/** The first thing that is still to be done before the first charge; undefined after it. */
export function currentStep(position: Position, hasKey: boolean): StepId | undefined {
  if (!isZero(position.charged_usdc)) return undefined;
  if (position.balance_usdc === null || isZero(position.balance_usdc)) return 'fund';
  if (position.approved_usdc === null || isZero(position.approved_usdc)) return 'approve';
  return hasKey ? 'request' : 'key';
}

function isZero(usdc: string): boolean {
  return /^0(\.0+)?$/.test(usdc);
}
