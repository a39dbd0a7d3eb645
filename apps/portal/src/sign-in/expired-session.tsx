import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { shorten } from '../design/address';
import { isFocusLost } from '../design/focus';
import { useSessionState } from '../session/session-context';
import { SignInForm } from './sign-in-form';

/** A session may end while a dialog is open. */
const ABOVE_ALL = 500;

/** Offers to sign in again above a page that keeps what was typed. */
export function ExpiredSession() {
  const { status, session, leave } = useSessionState();
  return (
    <Modal
      opened={status === 'expired'}
      onClose={leave}
      onExitTransitionEnd={takeLostFocus}
      withCloseButton={false}
      closeOnClickOutside={false}
      // Leaving gives up what was typed, which a key that is pressed to close something else must not do.
      closeOnEscape={false}
      title="Your session has ended"
      centered
      zIndex={ABOVE_ALL}
    >
      <Stack>
        <Text size="sm">
          Sign in again{session !== undefined && <> with {shorten(session.wallet)}</>} to go on. What you
          typed on this page is still there.
        </Text>
        <SignInForm />
        <Group justify="flex-end">
          <Button variant="subtle" color="gray" onClick={leave}>
            Leave instead
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** What had the focus before may be gone or disabled, such as the button of a form that was being sent. */
function takeLostFocus(): void {
  if (!isFocusLost()) return;
  const below = document.querySelector<HTMLElement>('[role="dialog"]') ?? document.querySelector('h1');
  below?.focus();
}
