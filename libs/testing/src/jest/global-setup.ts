import { rememberServers } from './running-servers';
import { startTestServers } from '../test-servers';

/** jest runs this once before the project `integration`. */
export default async function setUp(): Promise<void> {
  rememberServers(await startTestServers());
}
