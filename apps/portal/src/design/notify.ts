import { notifications } from '@mantine/notifications';
import { wordsOf } from '../api/error-words';

/** Passing words at the edge of the screen, which screen readers say too. */
export const notify = {
  success(message: string): void {
    notifications.show({ message, color: 'teal', autoClose: 5000 });
  },
  failed(what: string, error: unknown): void {
    notifications.show({
      title: what,
      message: wordsOf(error),
      color: 'red',
      autoClose: 10_000,
      role: 'alert',
    });
  },
};
