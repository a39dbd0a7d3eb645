import { Skeleton, Stack } from '@mantine/core';
import { Suspense } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { LoadFailed } from '../design/load-failed';
import { NotFoundPage } from '../design/not-found-page';
import { PageBoundary } from '../design/page-boundary';
import { useSessionState } from '../session/session-context';
import { SignInPage } from '../sign-in/sign-in-page';
import { pages } from './pages';
import type { PageEntry } from './pages';

/** The page that the address names, for who may see it. */
export function PageOutlet() {
  const { pathname } = useLocation();
  return (
    <PageBoundary resetKey={pathname}>
      <Suspense fallback={<PageSkeleton />}>
        <Routes>
          {pages.map((entry) => (
            <Route key={entry.name} path={entry.path} element={<Guarded entry={entry} />} />
          ))}
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </Suspense>
    </PageBoundary>
  );
}

function Guarded({ entry }: { entry: PageEntry }) {
  const { status, session, error, retry } = useSessionState();
  const Page = entry.component;
  if (entry.for === 'everybody') return <Page />;
  if (status === 'loading') return <PageSkeleton />;
  if (status === 'unknown') return <LoadFailed what="Your session" error={error} retry={retry} />;
  if (session === undefined) return <SignInPage />;
  if (entry.for === 'operators' && !session.is_operator) return <NotFoundPage />;
  // Rows of before stay until others come, also when they were another wallet's: for each it is a page of its own.
  return <Page key={session.wallet} />;
}

function PageSkeleton() {
  return (
    <Stack aria-busy aria-label="Loading">
      <Skeleton height={28} width={180} />
      <Skeleton height={120} />
      <Skeleton height={240} />
    </Stack>
  );
}
