import { Center, Container, Loader } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, Suspense } from 'react';
import type { ReactNode } from 'react';
import { LoadFailed } from '../design/load-failed';

/** Nothing can be shown before the marketplace has said which chain it is on; this waits, or says that it cannot be reached. */
export function Start({ children }: { children: ReactNode }) {
  const { reset } = useQueryErrorResetBoundary();
  return (
    <StartBoundary onRetry={reset}>
      <Suspense
        fallback={
          <Center mih="100vh">
            <Loader aria-label="Loading" />
          </Center>
        }
      >
        {children}
      </Suspense>
    </StartBoundary>
  );
}

class StartBoundary extends Component<{ onRetry: () => void; children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Container size="xs" py={80}>
        <LoadFailed what="The portal" error={this.state.error} retry={this.retry} isAskedAgain={false} />
      </Container>
    );
  }

  private readonly retry = () => {
    this.props.onRetry();
    this.setState({ error: undefined });
  };
}
