import { Amount } from '../../design/amount';
import { Stat } from '../../design/stat';
import { showTokens } from './figures';
import type { MarketModel } from './market-model';

/** Prices and sizes. */
export function ModelTerms({ model }: { model: MarketModel }) {
  const { pricing, fallback_pricing: fallback, basis, contextLimit, capabilities } = model.svc;
  const per = basis === 'ceiling' ? 'per million tokens at most' : 'per million tokens';
  return (
    <>
      <Stat
        label="Input"
        value={pricing ? <Amount of={{ base: pricing.input_price_per_mtok }} /> : '–'}
        hint={
          fallback ? (
            <>
              {per}; <Amount bare of={{ base: fallback.input_price_per_mtok }} /> at most from the managed
              fallback
            </>
          ) : (
            per
          )
        }
      />
      <Stat
        label="Output"
        value={pricing ? <Amount of={{ base: pricing.output_price_per_mtok }} /> : '–'}
        hint={
          fallback ? (
            <>
              {per}; <Amount bare of={{ base: fallback.output_price_per_mtok }} /> at most from the managed
              fallback
            </>
          ) : (
            per
          )
        }
      />
      <Stat label="Context" value={showTokens(contextLimit)} hint="tokens of prompt and answer" />
      <Stat label="Longest answer" value={showTokens(capabilities.maxOutputTokens)} hint="tokens" />
    </>
  );
}
