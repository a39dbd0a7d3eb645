import { Amount } from '../../design/amount';
import { Stat } from '../../design/stat';
import { showTokens } from './figures';
import { priceOf } from './market-model';
import type { MarketModel, Pricing } from './market-model';

/** Prices and sizes. */
export function ModelTerms({ model }: { model: MarketModel }) {
  const { contextLimit, capabilities } = model.svc;
  return (
    <>
      <Price label="Input" model={model} part={({ input_price_per_mtok: price }) => price} />
      <Price label="Output" model={model} part={({ output_price_per_mtok: price }) => price} />
      <Stat label="Context" value={showTokens(contextLimit)} hint="tokens of prompt and answer" />
      <Stat label="Longest answer" value={showTokens(capabilities.maxOutputTokens)} hint="tokens" />
    </>
  );
}

interface PriceProps {
  label: string;
  model: MarketModel;
  part: (pricing: Pricing) => string;
}

/** Of the cheapest offer; in production also what the managed fallback asks, which answers when no provider can. */
function Price({ label, model, part }: PriceProps) {
  const { pricing, fallback_pricing: fallback } = model.svc;
  const price = priceOf(model);
  return (
    <Stat
      label={label}
      value={price ? <Amount of={{ base: part(price.pricing) }} /> : '–'}
      hint={
        <>
          {price?.isMost ? 'per million tokens at most' : 'per million tokens'}
          {fallback && !pricing && ', from the managed fallback'}
          {fallback && pricing && (
            <>
              ; <Amount bare of={{ base: part(fallback) }} /> at most from the managed fallback
            </>
          )}
        </>
      }
    />
  );
}
