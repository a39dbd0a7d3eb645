import { Card, SimpleGrid, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCertificate, IconCoins, IconServer } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { PageHeader } from '../../design/page-header';
import { RegistrationForm } from './registration-form';

const STEPS: { icon: ReactNode; title: string; text: string }[] = [
  {
    ...{ icon: <IconServer size={20} />, title: 'Bring a server' },
    text: 'Any server with the usual chat-completions API will do: vLLM, SGLang, llama.cpp, a hosted one. You offer it at your own price.',
  },
  {
    ...{ icon: <IconCertificate size={20} />, title: 'Pass the tests' },
    text: 'The marketplace tries it before it may sell: text, streams, tools, how much at once. You watch each test; the report is public.',
  },
  {
    ...{ icon: <IconCoins size={20} />, title: 'Get paid' },
    text: 'Your share of what each request costs is credited to your wallet in USDC. You claim what is payable from the contract whenever you like.',
  },
];

/** For a wallet that is no provider yet. */
export function Welcome() {
  return (
    <>
      <PageHeader
        title="Provide"
        description="Sell completions of models that you run. Whoever has a wallet may."
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }} mb="xl">
        {STEPS.map(({ icon, title, text }) => (
          <Stack key={title} gap={6}>
            <ThemeIcon variant="light" radius="xl" size={36} aria-hidden>
              {icon}
            </ThemeIcon>
            <Text fw={600}>{title}</Text>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </Stack>
        ))}
      </SimpleGrid>
      <Card withBorder padding="lg" maw={560}>
        <RegistrationForm />
      </Card>
    </>
  );
}
