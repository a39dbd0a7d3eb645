import type { Msg, NatsError } from 'nats';
import type { Messaging } from './connect';

/** Takes one message that arrived on an inbox subject. Must not throw. */
export type InboxHandler = (message: Msg) => void;

/** An open inbox: the subject that others answer to, until closed. */
export interface OpenInbox {
  readonly subject: string;
  close(): void;
}

/**
 * One wildcard subscription for all of a process's replies: opening an inbox is an entry in a map, not a
 * subscription at the server.
 */
export class Inbox {
  private readonly prefix: string;
  private readonly handlers = new Map<string, InboxHandler>();
  private sequence = 0;

  constructor(messaging: Messaging) {
    this.prefix = `_INBOX.${messaging.service}.${messaging.instanceId}`;
    messaging.connection.subscribe(`${this.prefix}.*`, {
      callback: (error: NatsError | null, message: Msg) => {
        if (error) return;
        this.handlers.get(message.subject.slice(this.prefix.length + 1))?.(message);
      },
    });
  }

  open(handler: InboxHandler): OpenInbox {
    const token = (this.sequence++).toString(36);
    this.handlers.set(token, handler);
    return { subject: `${this.prefix}.${token}`, close: () => this.handlers.delete(token) };
  }
}

/**
 * Whether a reply subject is an inbox. A service may publish what its callers may not, so it must not write its answers wherever a
 * caller says.
 */
export function isInbox(subject: string): boolean {
  return subject.startsWith('_INBOX.');
}

/** Whether a message is the server's word that nobody listens on the subject (status 503, no responders). */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}
