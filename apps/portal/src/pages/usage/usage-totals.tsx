import { SimpleGrid } from '@mantine/core';
import { Amount } from '../../design/amount';
import { Stat } from '../../design/stat';
import { showDuration } from '../../design/time';
import type { UsageFigures } from './usage-queries';

const count = new Intl.NumberFormat('en');

/** What it comes to. @param totals undefined while they load */
export function UsageTotals({ totals }: { totals: UsageFigures | undefined }) {
  const figure = (of: (totals: UsageFigures) => number) => totals && count.format(of(totals));
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }} spacing="sm" mb="md">
      <Stat label="Cost, USDC" value={totals && <Amount of={{ usdc: totals.charged_usdc }} bare />} />
      <Stat label="Requests served" value={figure(({ requests }) => requests)} />
      <Stat
        label="Tokens"
        value={figure(({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens)}
        hint={
          totals && `${count.format(totals.prompt_tokens)} in, ${count.format(totals.completion_tokens)} out`
        }
      />
      <Stat label="Errors" value={figure(({ errors }) => errors)} hint="They cost nothing" />
      <Stat
        label="First token, mean"
        value={totals && (totals.first_token_ms === null ? '–' : showDuration(totals.first_token_ms))}
      />
    </SimpleGrid>
  );
}
