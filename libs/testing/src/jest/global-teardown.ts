import { stopServers } from './running-servers';

/** jest runs this once after the project `integration`. */
export default async function tearDown(): Promise<void> {
  await stopServers();
}
