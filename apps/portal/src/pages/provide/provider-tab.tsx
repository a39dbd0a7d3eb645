import { Card, Stack, Text } from '@mantine/core';
import { Address } from '../../design/address-text';
import { When } from '../../design/when';
import type { Provider } from '../../supply/use-provider';
import { RegistrationForm } from './registration-form';

export function ProviderTab({ provider }: { provider: Provider }) {
  return (
    <Stack maw={560}>
      <Text size="sm" c="dimmed" component="div">
        <Address value={provider.provider} full />
        <br />
        Registered <When at={provider.registered_at} />
      </Text>
      <Card withBorder padding="lg">
        <RegistrationForm registeredName={provider.name} />
      </Card>
    </Stack>
  );
}
