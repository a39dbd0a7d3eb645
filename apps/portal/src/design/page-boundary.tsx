import { Button, Group } from '@mantine/core';
import { Component } from 'react';
import type { ErrorInfo, ReactNode } from 'react';
import { isStaleCode, wordsOf } from '../api/error-words';
import { EmptyState } from './empty-state';

interface PageBoundaryProps {
  /** Another one starts afresh: the page that somebody went to. */
  resetKey: string;
  children: ReactNode;
}

/** Keeps what breaks on one page from taking the rest along. */
export class PageBoundary extends Component<PageBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override componentDidUpdate(previous: PageBoundaryProps): void {
    if (previous.resetKey !== this.props.resetKey && this.state.error !== undefined) {
      this.setState({ error: undefined });
    }
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const isStale = isStaleCode(error);
    return (
      <div role="alert">
        <EmptyState
          title="This page stopped working"
          action={
            <Group>
              <Button onClick={() => window.location.reload()}>Reload</Button>
              {!isStale && (
                <Button variant="default" onClick={() => this.setState({ error: undefined })}>
                  Try again
                </Button>
              )}
            </Group>
          }
        >
          {isStale
            ? wordsOf(error)
            : 'Nothing was changed by it. Reload, and if it stays, tell us what you did.'}
        </EmptyState>
      </div>
    );
  }
}
