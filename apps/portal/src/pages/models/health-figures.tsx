import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Stat } from '../../design/stat';
import { showDuration } from '../../design/time';
import { showShare, showSpeed } from './figures';
import type { MarketModel } from './market-model';

/** How it has been doing, with a word on what each figure means. */
export function HealthFigures({ health }: { health: MarketModel['health'] }) {
  const {
    error_rate: errors,
    invalid_rate: invalid,
    first_token_ms: first,
    tokens_per_second: speed,
  } = health;
  const isKnown = [errors, invalid, first, speed].some((figure) => figure !== undefined);
  return (
    <Stack gap="sm" component="section" aria-labelledby="health">
      <Title order={2} id="health">
        Health
      </Title>
      <Text size="sm" c="dimmed">
        {isKnown
          ? 'Measured on the requests of the last minutes, over all live offers. A failed attempt is tried with another provider before you notice, and is never charged.'
          : 'Nobody has asked for it in the last minutes, so there is nothing to tell yet.'}
      </Text>
      {isKnown && (
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
          <Stat
            label="First token"
            value={first === undefined ? '–' : showDuration(first)}
            hint="until the answer begins"
          />
          <Stat label="Speed" value={speed === undefined ? '–' : showSpeed(speed)} hint="once it has begun" />
          <Stat
            label="Failed attempts"
            value={errors === undefined ? '–' : showShare(errors)}
            hint="refused, timed out or broken"
          />
          <Stat
            label="Invalid answers"
            value={invalid === undefined ? '–' : showShare(invalid)}
            hint="caught and not delivered"
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}
