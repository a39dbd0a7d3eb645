import { Anchor, Card, List, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useConfig } from '../api/config';
import { PageHeader } from '../design/page-header';
import { SignInForm } from './sign-in-form';

/** Where everybody comes in; the address stays, so that one gets to the page that was asked for. */
export function SignInPage() {
  const { chain } = useConfig();
  return (
    <Stack maw={460} mx="auto" pt={{ base: 'md', sm: 48 }} gap="lg">
      <PageHeader
        title="Sign in"
        description="Your wallet is your account. There is no password and nothing to register."
      />
      <Card withBorder padding="lg" mt={-12}>
        <SignInForm />
      </Card>
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          What signing means
        </Text>
        <List size="sm" c="dimmed" spacing={4}>
          <List.Item>
            You sign a short text that names this page. No transaction, no gas, no permission to spend.
          </List.Item>
          <List.Item>
            It is valid once, for this page and for {chain.name}, and only for a few minutes.
          </List.Item>
          <List.Item>
            What the marketplace may spend you approve later, as a separate step, and can take back.
          </List.Item>
        </List>
        <Text size="sm" c="dimmed">
          Only looking?{' '}
          <Anchor component={Link} to="/models">
            See models and prices
          </Anchor>{' '}
          without signing in.
        </Text>
      </Stack>
    </Stack>
  );
}
