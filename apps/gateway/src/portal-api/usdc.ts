/** How a field with an amount is described. */
export const USDC = { type: String, example: '1.250000', description: 'USDC, six decimals.' } as const;
