import { Text } from '@mantine/core';
import type { TextProps } from '@mantine/core';
import { showUsdc } from './money';
import type { UsdcAmount } from './money';

type AmountProps = TextProps & {
  /** `{ base }` in base units or `{ usdc }` with decimals; null is unknown and shown as a dash. */
  of: UsdcAmount | null;
  /** Leaves out "USDC" where the heading has it. */
  bare?: boolean;
  /** In a column of amounts: all decimals, so that digits stand below each other; bare. */
  column?: boolean;
};

/** An amount of USDC, exact, digits aligned. */
export function Amount({ of, bare = false, column = false, ...rest }: AmountProps) {
  return (
    <Text component="span" inherit className="figures" {...rest}>
      {of === null ? '–' : showUsdc(of, column ? 6 : 2)}
      {!bare && !column && of !== null && '\u00a0USDC'}
    </Text>
  );
}
