import { notifications } from '@mantine/notifications';
import { wordsOf } from '../api/error-words';
import { announce } from './announcer';

/** Passing words at the edge of the screen, which screen readers say too. */
export const notify = {
  success(message: string): void {
    // What went well interrupts nobody.
    announce(message);
    notifications.show({ message, color: 'teal', autoClose: 5000, role: 'note' });
  },
  failed(what: string, error: unknown): void {
    alarm(what, wordsOf(error));
  },

  /** @returns what takes it away again */
  waiting(title: string, message: string): () => void {
    const id = notifications.show({ title, message, color: 'yellow', autoClose: false, role: 'alert' });
    return () => notifications.hide(id);
  },

  /** Its owner may forbid it, and on plain http a browser lets no page copy, but on this machine's own addresses. */
  notCopied(): void {
    alarm('Not copied', 'The browser does not let this page copy. Select the text and copy it yourself.');
  },
};

function alarm(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 10_000, role: 'alert' });
}
