/** `npm run reset`: empties the state directory, so that the next start begins afresh. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stateDir } from './prepare.mjs';
import { say } from './progress.mjs';
import { endOrphans, lock } from './stack-lock.mjs';

try {
  // Also a start that begins at this moment is kept out.
  lock(stateDir);
  await endOrphans(stateDir);
  for (const entry of readdirSync(stateDir)) {
    rmSync(join(stateDir, entry), { recursive: true, force: true });
  }
  say(`  ${stateDir} is empty`);
} catch (error) {
  say(`  ${error.message}`);
  process.exitCode = 1;
}
