import type { BrowserContext } from 'playwright-core';

/** What the pages of a visitor complain about: console errors, uncaught errors, breaches of the content security policy. */
export class Complaints {
  private readonly said: string[] = [];

  constructor(
    context: BrowserContext,
    private readonly expected: RegExp[],
  ) {
    // A breach of the policy is a console error as well.
    context.on('console', (message) => {
      if (message.type() === 'error') {
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
