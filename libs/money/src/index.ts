export { MAX_BASE_UNITS, formatUsdc, isBaseUnits, isUsdc, parseBaseUnits, parseUsdc, usdcOf } from './usdc';
export { TOKENS_PER_MTOK, blendedPriceOf, priceOf, providerShare } from './price';
export type { TokenPrices } from './price';
