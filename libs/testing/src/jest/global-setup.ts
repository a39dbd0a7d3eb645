import { rememberServers, stopServers } from './running-servers';
import { startTestServers } from '../test-servers';

/** jest runs this once before the project `integration`. */
export default async function setUp(): Promise<void> {
  rememberServers(await startTestServers());
  // jest runs no tear-down when it is interrupted.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => void stopServers().finally(() => process.exit(code)));
  }
}
