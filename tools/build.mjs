/** `npm run build`: installs what is missing and builds what changed. */
import { prepare } from './prepare.mjs';
import { say } from './progress.mjs';
import { endOnSignal } from './run.mjs';

endOnSignal();

try {
  await prepare();
} catch (error) {
  say(`\n  ${error.message}`);
  process.exitCode = 1;
}
