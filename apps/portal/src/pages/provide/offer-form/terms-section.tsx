import { Select, SimpleGrid } from '@mantine/core';
import { PriceField } from './price-field';
import { Section } from './section';
import type { SectionProps } from './section-props';
import { TextField } from './text-field';

const DAYS = [7, 30, 90, 180, 365];

/** Price, how much at once, how long it may take, until when. */
export function TermsSection({ field, maxDays }: SectionProps & { maxDays: number }) {
  const { onChange: onExpiry, ...expiry } = field('expires_at');
  const days = DAYS.filter((count) => count <= maxDays);
  return (
    <>
      <Section
        title="Price"
        hint="Buyers are sent to cheaper offers more often. You may change it at any time."
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <PriceField label="Input" {...field('input_price_per_mtok')} />
          <PriceField label="Output" {...field('output_price_per_mtok')} />
        </SimpleGrid>
      </Section>
      <Section title="Limits" hint="What your server holds. The tests find out how much of it is so.">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            label="Requests at once"
            description="The tests ask so many; what holds is certified."
            inputMode="numeric"
            required
            {...field('concurrency')}
          />
          <TextField
            label="Context, tokens"
            description="Input and output together."
            inputMode="numeric"
            required
            {...field('context_limit')}
          />
          <TextField
            label="First token within, ms"
            description="Later, another offer is asked."
            inputMode="numeric"
            required
            {...field('first_token_timeout_ms')}
          />
          <TextField
            label="Silence between pieces, ms"
            description="Longer, the request fails and is not paid."
            inputMode="numeric"
            required
            {...field('chunk_timeout_ms')}
          />
        </SimpleGrid>
        <Select
          label="Good for"
          description="The offer ends by itself then; a new version goes on."
          data={days.map((count) => ({ value: String(count), label: `${count} days` }))}
          allowDeselect={false}
          {...expiry}
          onChange={(value) => onExpiry(value ?? '')}
          maw={{ sm: 340 }}
        />
      </Section>
    </>
  );
}
