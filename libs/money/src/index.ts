export {
  MAX_BASE_UNITS,
  formatUsdc,
  isBaseUnits,
  isUsdc,
  parseBaseUnits,
  parseSignedUsdc,
  parseUsdc,
  usdcOf,
} from './usdc';
export { TOKENS_PER_MTOK, blendedPriceOf, priceOf, providerShare } from './price';
export type { TokenPrices } from './price';
