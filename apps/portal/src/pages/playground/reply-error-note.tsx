import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { wordsOf } from '../../api/error-words';
import { adviceFor } from './reply-advice';
import type { ReplyError } from './conversation';
import { useCountdown } from './use-countdown';
import { useTurnOn } from './use-playground';

interface ReplyErrorNoteProps {
  error: ReplyError;
  /** Whether anything can be asked now. */
  mayAsk: boolean;
  /** Undefined where something came after it. */
  retry?: () => void;
}

/** Why there is no reply, and what to do. */
export function ReplyErrorNote({ error, mayAsk, retry }: ReplyErrorNoteProps) {
  const { words, links, mayRetry, turnOn = false } = adviceFor(error);
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} data-testid="reply-error">
      <Stack gap="xs" align="flex-start">
        {/* Without the buttons: one counts seconds, and each would have all of it said again. */}
        <Stack gap="xs" role="alert">
          <div>
            <Code>{error.code}</Code>
            {error.param !== undefined && (
              <>
                {' '}
                at <Code>{error.param}</Code>
              </>
            )}
          </div>
          <Text size="sm" className="breakable">
            {error.message}
          </Text>
          <Text size="sm">{words}</Text>
        </Stack>
        <Group gap="xs">
          {turnOn && retry && <TurnOn mayAsk={mayAsk} done={retry} />}
          {mayRetry && retry && (
            <Retry mayAsk={mayAsk} seconds={error.retryAfterSeconds ?? 0} retry={retry} />
          )}
          {links.map(({ label, to }) => (
            <Button key={to} component={Link} to={to} size="xs" variant="default">
              {label}
            </Button>
          ))}
        </Group>
      </Stack>
    </Alert>
  );
}

interface RetryProps {
  mayAsk: boolean;
  seconds: number;
  retry: () => void;
}

/** Not before the time that the gateway named: it would be refused again. */
function Retry({ mayAsk, seconds, retry }: RetryProps) {
  const left = useCountdown(seconds);
  return (
    <Button size="xs" variant="default" onClick={retry} disabled={left > 0 || !mayAsk}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </Button>
  );
}

/** It is asked again at once, so not while it could not be. */
function TurnOn({ mayAsk, done }: { mayAsk: boolean; done: () => void }) {
  const { mutate, isPending, error } = useTurnOn();
  return (
    <>
      <Button
        size="xs"
        onClick={() => mutate(undefined, { onSuccess: done })}
        loading={isPending}
        disabled={!mayAsk}
      >
        Turn the playground on
      </Button>
      {error && (
        <Text size="sm" role="alert">
          {wordsOf(error)}
        </Text>
      )}
    </>
  );
}
