import type { BrowserContext, ConsoleMessage } from 'playwright-core';

/** Chromium says it of every reply with an error status, also of one that the page expects and deals with. */
const REFUSED = /^Failed to load resource: the server responded with a status of (\d{3})/;

/** What the pages of a visitor complain about: console errors, uncaught errors, breaches of the content security policy. */
export class Complaints {
  private readonly said: string[] = [];

  constructor(
    context: BrowserContext,
    private readonly expected: RegExp[],
  ) {
    // A breach of the policy is a console error as well.
    context.on('console', (message) => {
      if (message.type() === 'error' && !isSignedOutReply(message)) {
        this.said.push(`${message.text()} (${message.location().url})`);
      }
    });
    context.on('weberror', (event) =>
      this.said.push(`uncaught: ${event.error().stack ?? event.error().message}`),
    );
  }

  /** From now on this is no surprise either. */
  expect(...more: RegExp[]): void {
    this.expected.push(...more);
  }

  unexpected(): string[] {
    return this.said.filter((text) => this.expected.every((pattern) => !pattern.test(text)));
  }
}

/** How the page learns that nobody is signed in. */
function isSignedOutReply(message: ConsoleMessage): boolean {
  return (
    REFUSED.exec(message.text())?.[1] === '401' && message.location().url.endsWith('/portal/api/session')
  );
}
