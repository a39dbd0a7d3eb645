import { Alert, Button, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError, isPassing } from '../api/api-error';
import { wordsOf } from '../api/error-words';

interface LoadFailedProps {
  error: unknown;
  /** What could not be loaded, as in "Your keys could not be loaded". */
  what: string;
  retry?: () => void;
  /** Whether the frame asks again for what may come by itself; it does wherever it is. */
  isAskedAgain?: boolean;
}

/** In place of what could not be loaded. */
export function LoadFailed({ error: latest, what, retry, isAskedAgain = true }: LoadFailedProps) {
  const error = useFirstToSay(latest);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  // The one after which it was asked again; what comes of that takes its place.
  const [triedAfter, setTriedAfter] = useState<unknown>();
  const isTrying = triedAfter === latest;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle />}
      title={`${what} could not be loaded`}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {wordsOf(error)}
          {isPassing(error) && isAskedAgain && ' It is asked again by itself.'}
        </Text>
        {requestId !== undefined && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
        {retry !== undefined && (
          <Button
            size="xs"
            variant="default"
            // It keeps the focus meanwhile.
            leftSection={isTrying && <Loader size={12} />}
            aria-busy={isTrying}
            onClick={() => {
              setTriedAfter(latest);
              retry();
            }}
          >
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** An alert is read out whenever it changes: who hears it is told no more than once of what failed in the same way again. */
function useFirstToSay(error: unknown): unknown {
  const [first, setFirst] = useState(error);
  if (wordsOf(first) === wordsOf(error)) return first;
  setFirst(error);
  return error;
}
