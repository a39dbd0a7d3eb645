import { PageHeader } from '../design/page-header';

export function SignInPage() {
  return <PageHeader title="Sign in" />;
}
