import { Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useConfig } from '../../api/config';
import { isFocusLost } from '../../design/focus';
import type { Position } from '../../live/use-position';
import { ApprovalDialog } from './approval-dialog';
import { FaucetButton } from './faucet-button';
import { FirstKey } from './first-key';
import { FirstRequest } from './first-request';
import type { StepId } from './steps';

/** What is left to do before the first request, one thing after the other. */
export function FirstSteps({ position, current }: { position: Position; current: StepId }) {
  const { chain } = useConfig();
  const [approving, setApproving] = useState(false);
  const heading = useStepFocus(current);
  const content: Record<StepId, { title: string; text: string; action: ReactNode }> = {
    fund: {
      title: chain.faucet ? 'Get test USDC' : 'Put USDC into your wallet',
      text: chain.faucet
        ? 'Requests are paid in USDC from your own wallet. On this network the token gives itself away.'
        : `Requests are paid in USDC from your own wallet. Send some to it on ${chain.name}.`,
      action: chain.faucet ? <FaucetButton variant="filled" /> : null,
    },
    approve: {
      title: 'Approve how much may be collected',
      text: 'A ceiling of your choice. Your USDC stays in your wallet until a request has cost something.',
      action: <Button onClick={() => setApproving(true)}>Approve USDC</Button>,
    },
    key: {
      title: 'Create an API key',
      text: 'Programs send it with each request.',
      action: <FirstKey />,
    },
    request: {
      title: 'Send the first request',
      text: 'With curl, or without leaving this page in the playground.',
      action: <FirstRequest />,
    },
  };
  const order = Object.keys(content) as StepId[];
  const reached = order.indexOf(current);
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="first-steps-title">
      <Group justify="space-between" mb="md">
        <Title order={2} id="first-steps-title">
          First steps
        </Title>
        <Text size="sm" c="dimmed">
          {reached} of {order.length} done
        </Text>
      </Group>
      <Stack component="ol" gap="md" m={0} p={0} className="steps">
        {order.map((id, index) => (
          <Step
            heading={heading.ref}
            key={id}
            number={index + 1}
            isDone={index < reached}
            isCurrent={id === current}
            {...content[id]}
          />
        ))}
      </Stack>
      <ApprovalDialog
        opened={approving}
        onClose={() => setApproving(false)}
        onClosed={heading.takeLost}
        position={position}
      />
    </Card>
  );
}

interface StepProps {
  number: number;
  title: string;
  text: string;
  action: ReactNode;
  isDone: boolean;
  isCurrent: boolean;
  /** Of the current step. */
  heading: RefObject<HTMLParagraphElement | null>;
}

function Step({ number, title, text, action, isDone, isCurrent, heading }: StepProps) {
  return (
    <Group
      component="li"
      wrap="nowrap"
      align="flex-start"
      gap="sm"
      aria-current={isCurrent ? 'step' : undefined}
    >
      <ThemeIcon
        size={26}
        radius="xl"
        variant={isCurrent ? 'filled' : 'light'}
        color={isDone ? 'teal' : isCurrent ? undefined : 'gray'}
      >
        {isDone ? <IconCheck size={16} aria-label="Done" /> : <span aria-hidden>{number}</span>}
      </ThemeIcon>
      <Stack gap={4} flex={1} miw={0}>
        <Text
          ref={isCurrent ? heading : undefined}
          tabIndex={-1}
          className="step-title"
          fw={isCurrent ? 600 : 500}
          c={isCurrent ? undefined : 'dimmed'}
          lh="26px"
        >
          {title}
        </Text>
        {isCurrent && (
          <>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
            <div>{action}</div>
          </>
        )}
      </Stack>
    </Group>
  );
}

/** The button of a step is gone with the step, and the focus with it; the next step's heading takes it. */
function useStepFocus(current: StepId): {
  ref: RefObject<HTMLParagraphElement | null>;
  takeLost: () => void;
} {
  const ref = useRef<HTMLParagraphElement>(null);
  const before = useRef(current);
  const takeLost = useCallback(() => {
    if (isFocusLost()) ref.current?.focus();
  }, []);
  useEffect(() => {
    if (before.current !== current) takeLost();
    before.current = current;
  }, [current, takeLost]);
  return { ref, takeLost };
}
