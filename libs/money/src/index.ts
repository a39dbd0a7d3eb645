export { MAX_BASE_UNITS, formatUsdc, isBaseUnits, isUsdc, parseBaseUnits, parseUsdc } from './usdc';
export { blendedPriceOf, priceOf, providerShare } from './price';
export type { TokenPrices } from './price';
