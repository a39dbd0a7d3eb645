import { Divider, Progress, Stack, Text } from '@mantine/core';
import { Amount } from '../../design/amount';
import { showUsdc, toBaseUnits } from '../../design/money';
import { When } from '../../design/when';
import { costSteps, grouped, shareOf } from './cost';
import type { PricedTokens } from './cost';
import { Fact, Facts } from './facts';
import type { RequestDetail } from './request-queries';
import { SectionCard } from './section-card';

/** What was used at which price, and the sum, to be checked by hand. */
export function CostCard({ detail }: { detail: RequestDetail }) {
  const { charged_usdc, held_usdc, refund } = detail;
  const priced = pricedTokens(detail);
  const freed = toBaseUnits(held_usdc) - toBaseUnits(charged_usdc);
  const share = shareOf(charged_usdc, held_usdc);
  return (
    <SectionCard title="Cost" aside={<Amount of={{ usdc: charged_usdc }} fw={600} />}>
      <Stack gap="md">
        {priced ? (
          <Arithmetic priced={priced} detail={detail} />
        ) : (
          <Text size="sm">Nobody served it, so it cost nothing.</Text>
        )}
        <Divider />
        <div>
          <Text size="sm" fw={500} mb={4}>
            Held and charged
          </Text>
          <Progress value={share} aria-label={`${share} percent of what was held was charged`} mb="xs" />
          <Facts>
            <Fact name="Held: the most it could cost">
              <Amount of={{ usdc: held_usdc }} />
            </Fact>
            <Fact name="Charged">
              <Amount of={{ usdc: charged_usdc }} />
            </Fact>
            <Fact name="Freed when it ended">
              <Amount of={{ base: freed }} />
            </Fact>
          </Facts>
        </div>
        {refund && (
          <>
            <Divider />
            <Facts>
              <Fact name="Given back">
                <Amount of={{ usdc: refund.amount_usdc }} />
              </Fact>
              <Fact name="Why">{refund.reason}</Fact>
              <Fact name="When">
                <When at={refund.created_at} absolute />
              </Fact>
            </Facts>
          </>
        )}
      </Stack>
    </SectionCard>
  );
}

function Arithmetic({ priced, detail }: { priced: PricedTokens; detail: RequestDetail }) {
  const { prompt_tokens, completion_tokens, input_price_per_mtok, output_price_per_mtok } = priced;
  const { input, output, sum, result } = costSteps(priced);
  return (
    <Stack gap="xs">
      <Facts>
        <Fact name="Prompt tokens">{grouped(prompt_tokens)}</Fact>
        <Fact name="Completion tokens">{grouped(completion_tokens)}</Fact>
        <Fact name="Counted by">{SOURCES[detail.token_source ?? ''] ?? '–'}</Fact>
        <Fact name="Input price, per million">
          <Amount of={{ base: input_price_per_mtok }} />
        </Fact>
        <Fact name="Output price, per million">
          <Amount of={{ base: output_price_per_mtok }} />
        </Fact>
      </Facts>
      <Text size="xs" c="dimmed">
        The same by hand, in base units (0.000001 USDC), rounded up once:
      </Text>
      <Facts>
        <Fact name={`${grouped(prompt_tokens)} × ${grouped(input_price_per_mtok)}`}>{grouped(input)}</Fact>
        <Fact name={`${grouped(completion_tokens)} × ${grouped(output_price_per_mtok)}`}>
          {grouped(output)}
        </Fact>
        <Fact name="Sum">{grouped(sum)}</Fact>
        <Fact name="÷ 1,000,000, rounded up">
          {grouped(result)} = {showUsdc({ base: result }, 6)}&nbsp;USDC
        </Fact>
      </Facts>
      {detail.late && (
        <Text size="xs" c="dimmed">
          It was served after its hold had ended: the platform paid the provider, and you were charged
          nothing.
        </Text>
      )}
    </Stack>
  );
}

function pricedTokens(detail: RequestDetail): PricedTokens | undefined {
  const { prompt_tokens, completion_tokens, input_price_per_mtok, output_price_per_mtok } = detail;
  if (prompt_tokens === null || completion_tokens === null) return undefined;
  if (input_price_per_mtok === null || output_price_per_mtok === null) return undefined;
  return { prompt_tokens, completion_tokens, input_price_per_mtok, output_price_per_mtok };
}

const SOURCES: Readonly<Record<string, string>> = {
  provider: 'the provider, within what its reply allows',
  counted: 'the marketplace: the provider said nothing',
  capped: 'the marketplace: the provider counted more than is paid for',
};
