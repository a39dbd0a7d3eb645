import { Alert, Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, dataOf } from '../../api/client';
import { wordsOf } from '../../api/error-words';
import { rememberFreshKey } from '../../api/fresh-key';
import { queryKeys } from '../../api/query-keys';
import { requestToken } from '../../api/request-token';

/** Makes a key with one click; its value stays in this tab's memory for the step that follows. */
export function FirstKey() {
  const queries = useQueryClient();
  // The same token for a second try: whatever became of the first, there is one key.
  const token = useRef(requestToken());
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/portal/api/keys', {
          body: { name: 'My first key', budget_reset: 'never', request_token: token.current },
        }),
      ),
    onSuccess: async (key) => {
      rememberFreshKey(key);
      await queries.invalidateQueries({ queryKey: queryKeys.keys });
    },
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Button onClick={() => create.mutate()} loading={create.isPending}>
        Create a key
      </Button>
      {create.error && (
        <Alert color="red" variant="light" role="alert">
          {wordsOf(create.error)}
        </Alert>
      )}
    </Stack>
  );
}
