import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/api-error';
import { wordsOf } from '../api/error-words';

interface LoadFailedProps {
  error: unknown;
  /** What could not be loaded, as in "Your keys could not be loaded". */
  what: string;
  retry?: () => void;
}

/** In place of what could not be loaded. */
export function LoadFailed({ error, what, retry }: LoadFailedProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle />}
      title={`${what} could not be loaded`}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{wordsOf(error)}</Text>
        {requestId !== undefined && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
