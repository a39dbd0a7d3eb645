import { Button, Card, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
import { Address } from '../../design/address-text';
import { ConfirmAction } from '../../design/confirm-action';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { focusHeading, isFocusLost } from '../../design/focus';
import { notify } from '../../design/notify';
import { PageHeader } from '../../design/page-header';
import { StatusBadge } from '../../design/status-badge';
import { When } from '../../design/when';
import { useSession, useSessionState } from '../../session/session-context';
import { describeBrowser } from './browser-name';
import type { components } from '../../api/generated/schema';

type SessionCard = components['schemas']['SessionCard'];

const COLUMNS: Column<SessionCard>[] = [
  {
    id: 'browser',
    header: 'Browser',
    cell: ({ user_agent, current }) => (
      <Group gap="xs">
        <span title={user_agent}>{describeBrowser(user_agent)}</span>
        {current && <StatusBadge tone="good">this one</StatusBadge>}
      </Group>
    ),
  },
  { id: 'created', header: 'Signed in', cell: ({ created_at }) => <When at={created_at} /> },
  { id: 'seen', header: 'Last seen', wideOnly: true, cell: ({ last_seen_at }) => <When at={last_seen_at} /> },
  { id: 'ends', header: 'Ends', wideOnly: true, cell: ({ expires_at }) => <When at={expires_at} /> },
  {
    id: 'end',
    header: <VisuallyHidden>Signing out</VisuallyHidden>,
    align: 'right',
    cell: (session) => !session.current && <EndSession session={session} />,
  },
];

/** Ends a session of another browser; this one's has a button of its own. */
function EndSession({ session: { id, user_agent } }: { session: SessionCard }) {
  const queries = useQueryClient();
  const { isPending, mutate } = useMutation({
    mutationFn: () => api.DELETE('/portal/api/sessions/{id}', { params: { path: { id } } }),
    onSuccess: () => notify.success('Signed out there.'),
    onError: (error) => notify.failed('Not signed out', error),
    onSettled: async () => {
      // One that could not be ended may have ended by itself.
      await queries.invalidateQueries({ queryKey: queryKeys.sessions });
      // The button lost it while it was at work, and its row may be gone.
      if (isFocusLost()) focusHeading();
    },
  });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={isPending}
      aria-label={`Sign out ${describeBrowser(user_agent)}`}
      onClick={() => mutate()}
    >
      Sign out
    </Button>
  );
}

/** Who is signed in, where else, and the way out. */
export default function AccountPage() {
  const { wallet, is_operator } = useSession();
  return (
    <>
      <PageHeader
        title="Account"
        description="Your wallet is the account; there is nothing else to manage."
      />
      <Stack gap="lg">
        <Card withBorder padding="lg" component="section" aria-labelledby="wallet-title">
          <Title order={2} id="wallet-title" mb="xs">
            Wallet
          </Title>
          <Group gap="xs">
            <Address value={wallet} full />
            {is_operator && <StatusBadge tone="busy">operator</StatusBadge>}
          </Group>
        </Card>
        <Sessions />
      </Stack>
    </>
  );
}

function Sessions() {
  const { signOut } = useSessionState();
  const [confirming, setConfirming] = useState(false);
  const query = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: async ({ signal }) => (await dataOf(api.GET('/portal/api/sessions', { signal }))).data,
  });
  const leave = () => signOut().catch((error: unknown) => notify.failed('Not signed out', error));
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="sessions-title">
      <Group justify="space-between" mb="xs" gap="sm">
        <Stack gap={2}>
          <Title order={2} id="sessions-title">
            Sessions
          </Title>
          <Text size="sm" c="dimmed">
            Where this wallet is signed in. A session ends by itself after some hours. API keys are not
            touched by signing out.
          </Text>
        </Stack>
        <Group gap="xs">
          <Button variant="default" onClick={() => void leave()}>
            Sign out here
          </Button>
          <Button variant="default" c="red" onClick={() => setConfirming(true)}>
            Sign out everywhere
          </Button>
        </Group>
      </Group>
      <DataTable
        what="Your sessions"
        columns={COLUMNS}
        rows={query.data}
        rowId={({ id }) => id}
        error={query.error}
        retry={() => void query.refetch()}
        empty={<EmptyState title="No sessions" />}
      />
      <ConfirmAction
        opened={confirming}
        onClose={() => setConfirming(false)}
        title="Sign out everywhere?"
        confirmLabel="Sign out everywhere"
        onConfirm={() => signOut('everywhere')}
        danger
      >
        <Text size="sm">
          Every browser with this wallet is signed out, this one too. API keys keep working; revoke them on
          their own page.
        </Text>
      </ConfirmAction>
    </Card>
  );
}
