import { TransientMap } from '@svc/collections';
import type { Msg } from 'nats';
import { BUNDLE_TOKEN, readBundle } from './bundle';
import type { Messaging } from './connect';
import { listen } from './listen';

/** What arrived on an inbox subject, by itself or in a bundle; only the first has headers, or can be answered. */
export type InboxMessage = Pick<Msg, 'data' | 'headers' | 'reply'>;

/** Takes one message. Must not throw. */
export type InboxHandler = (message: InboxMessage) => void;

/** An open inbox: the subject that others answer to, until closed. */
export interface OpenInbox {
  readonly subject: string;
  close(): void;
}

/** An open inbox whose subject may be used again. */
export interface ReusableInbox {
  readonly subject: string;
  /** Quiet is where everything that was to come has come; a subject on which something may come late is used no more. */
  close(over: { quiet: boolean }): void;
}

/**
 * One wildcard subscription for all of a process's replies: opening an inbox is an entry in a map, not a
 * subscription at the server.
 */
export class Inbox {
  private readonly prefix: string;
  private readonly handlers = new TransientMap<string, InboxHandler>();
  private sequence = 0;
  /** Tokens that may be used anew, by who answers there. */
  private readonly free = new Map<string, string[]>();

  constructor(messaging: Messaging) {
    this.prefix = `_INBOX.${messaging.service}.${messaging.instanceId}`;
    listen(messaging.connection, `${this.prefix}.>`, (message) => {
      const token = message.subject.slice(this.prefix.length + 1);
      if (token.endsWith(BUNDLE_TOKEN)) this.takeBundle(token.slice(0, -BUNDLE_TOKEN.length), message.data);
      else this.handlers.get(token)?.(message);
    });
  }

  open(handler: InboxHandler): OpenInbox {
    const token = (this.sequence++).toString(36);
    this.handlers.set(token, handler);
    return { subject: `${this.prefix}.${token}`, close: () => this.handlers.delete(token) };
  }

  /**
   * As `open`, for many short waits for an answer: the subject is one that was used before, if there is one. The server finds its way to
   * subjects that it has seen without looking.
   * @param answerer the service that may write there, and no other (`deploy/nats/nats.conf`). A permission to answer each call once,
   *   which the server keeps by subject, would run out on subjects that are used again.
   */
  openReusable(answerer: string, handler: InboxHandler): ReusableInbox {
    const free = this.freeOf(answerer);
    const token = free.pop() ?? `${answerer}.${(this.sequence++).toString(36)}`;
    this.handlers.set(token, handler);
    const close = ({ quiet }: { quiet: boolean }) => {
      if (this.handlers.delete(token) && quiet) free.push(token);
    };
    return { subject: `${this.prefix}.${token}`, close };
  }

  private freeOf(answerer: string): string[] {
    let free = this.free.get(answerer);
    if (!free) this.free.set(answerer, (free = []));
    return free;
  }

  /** @param path between this process's inboxes and the bundle's: where its messages would have come */
  private takeBundle(path: string, data: Uint8Array): void {
    readBundle(data, (token, payload) => {
      // Who may write here may not write deeper, where the answers of others are waited for.
      if (!token.includes('.')) this.handlers.get(path + token)?.({ data: payload });
    });
  }
}

/** A bundle's subject for an inbox, and the inbox's place in it. */
export function bundleOf(inbox: string): { subject: string; token: string } {
  const end = inbox.lastIndexOf('.') + 1;
  return { subject: inbox.slice(0, end) + BUNDLE_TOKEN, token: inbox.slice(end) };
}

/**
 * Whether a reply subject is an inbox. A service may publish what its callers may not, so it must not write its answers wherever a
 * caller says.
 */
export function isInbox(subject: string): boolean {
  return subject.startsWith('_INBOX.');
}

/** Whether a message is the server's word that nobody listens on the subject (status 503, no responders). */
export function isNoResponders(message: InboxMessage): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}
